-- source: SQLAlchemy 1.4, reflection through psycopg2
-- rows: 0
SELECT a.attname
                FROM pg_attribute a JOIN (
                    SELECT unnest(ix.indkey) attnum,
                           generate_subscripts(ix.indkey, 1) ord
                    FROM pg_index ix
                    WHERE ix.indrelid = {oid:t} AND ix.indisprimary
                    ) k ON a.attnum=k.attnum
                WHERE a.attrelid = {oid:t}
                ORDER BY k.ord
