# SPDX-License-Identifier: GPL-2.0-only

project = "gradnet"
author = "The gradnet developers"
copyright = author
version = release = "0.1.0"

root_doc = "gradnet"
extensions = ["sphinx.ext.mathjax"]
html_theme = "alabaster"
