// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_RESULTS_TABLE_H
#define GRADNET_RESULTS_TABLE_H

#include <ostream>
#include <string>
#include <vector>

/**
 * \param value a number
 * \param decimals digits after the point
 * \return the number in fixed notation
 */
std::string FormatNumber(double value, int decimals);

/// A table for people: aligned columns under a heading of two lines, the second with the unit.
class ResultsTable
{
  public:
    /// A column: its heading, and the unit or an empty string.
    struct Column
    {
        std::string heading;
        std::string unit;
    };

    /// \param columns the first is aligned left, the others right
    explicit ResultsTable(std::vector<Column> columns);

    /// \param cells a cell for each column
    void AddRow(std::vector<std::string> cells);

    /// \param os where to print
    void Print(std::ostream& os) const;

  private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

#endif // GRADNET_RESULTS_TABLE_H
