//! benchstat's grammar and layouts: projections, filters, tables as text.
