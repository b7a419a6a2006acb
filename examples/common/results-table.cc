// SPDX-License-Identifier: GPL-2.0-only

#include "results-table.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

std::string
FormatNumber(double value, int decimals)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(decimals) << value;
    return text.str();
}

ResultsTable::ResultsTable(std::vector<Column> columns)
    : m_columns(std::move(columns))
{
}

void
ResultsTable::AddRow(std::vector<std::string> cells)
{
    cells.resize(m_columns.size());
    m_rows.push_back(std::move(cells));
}

void
ResultsTable::Print(std::ostream& os) const
{
    std::vector<std::string> headings;
    std::vector<std::string> units;
    for (const Column& column : m_columns)
    {
        headings.push_back(column.heading);
        units.push_back(column.unit);
    }
    std::vector<std::vector<std::string>> lines{headings, units};
    lines.insert(lines.end(), m_rows.begin(), m_rows.end());

    std::vector<size_t> widths(m_columns.size(), 0);
    for (const auto& line : lines)
    {
        for (size_t i = 0; i < line.size(); ++i)
        {
            widths[i] = std::max(widths[i], line[i].size());
        }
    }
    for (size_t row = 0; row < lines.size(); ++row)
    {
        std::ostringstream text;
        for (size_t i = 0; i < widths.size(); ++i)
        {
            text << (i == 0 ? std::left : std::right) << std::setw(static_cast<int>(widths[i]))
                 << lines[row][i] << (i + 1 < widths.size() ? "  " : "");
        }
        std::string line = text.str();
        line.erase(line.find_last_not_of(' ') + 1);
        os << line << "\n";
        if (row == 1)
        {
            size_t total = 2 * (widths.size() - 1);
            for (const size_t width : widths)
            {
                total += width;
            }
            os << std::string(total, '-') << "\n";
        }
    }
}
