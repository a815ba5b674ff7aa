-- source: Grafana, columns of the query editor; retold
-- row: k | integer
-- row: v | text
SELECT quote_ident(column_name) AS "column", data_type AS "type"
FROM information_schema.columns
WHERE CASE WHEN array_length(parse_ident('other.filled'), 1) = 2
    THEN quote_ident(table_schema) = (parse_ident('other.filled'))[1] AND quote_ident(table_name) = (parse_ident('other.filled'))[2]
    ELSE quote_ident(table_name) = 'other.filled' END
