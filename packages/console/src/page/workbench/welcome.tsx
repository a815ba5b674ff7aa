import { FilePicker } from '../parts/file-picker.tsx';
import { Icon } from '../parts/icon.tsx';
import { writeInFreeTab } from '../state/tabs.ts';
import { attachAndRead } from './attach-and-read.ts';

const EXAMPLES = [
  {
    title: 'Rows to look at',
    text: 'A thousand rows of made-up measurements: sort, filter and chart them.',
    sql: `-- A thousand measurements of four sensors
SELECT n AS minute,
  'sensor ' || (n % 4 + 1) AS sensor,
  round(20 + 6 * sin(n / 80.0) + (n * 7919 % 100) / 50.0, 2) AS temperature,
  round(45 - 9 * sin(n / 80.0) + (n * 104729 % 100) / 30.0, 2) AS humidity
FROM generate_series(1, 1000) AS g(n)
ORDER BY minute;`,
  },
  {
    title: 'A table of your own',
    text: 'Create a table, fill it and ask it a question, with one result per statement.',
    sql: `CREATE TABLE IF NOT EXISTS example_sales (day date, shop text, amount double precision) PRIMARY INDEX day;

INSERT INTO example_sales
SELECT date '2026-01-01' + (n % 90)::int, 'shop ' || (n % 5 + 1), n % 1000 / 10.0
FROM generate_series(1, 10000) AS g(n);

SELECT date_trunc('month', day) AS month, shop, sum(amount) AS revenue
FROM example_sales
GROUP BY ALL
ORDER BY month, revenue DESC;`,
  },
  {
    title: 'What the engine did',
    text: 'The latest statements with their durations, from the query history.',
    sql: `SELECT start_time, duration_us / 1000 AS milliseconds, status, scanned_rows, query_text
FROM information_schema.engine_query_history
ORDER BY start_time DESC
LIMIT 50;`,
  },
];

/** The first screen: examples that run at a click, and the way to query a file. */
export function Welcome({ run }: { run(): void }) {
  return (
    <div class="welcome">
      <h2>Ask the first question</h2>
      <p>Write SQL above, or start with an example:</p>
      <ul>
        {EXAMPLES.map(({ title, text, sql }) => (
          <li key={title}>
            <button
              type="button"
              class="card"
              onClick={() => {
                writeInFreeTab(sql, title);
                run();
              }}
            >
              <b>{title}</b>
              <span>{text}</span>
            </button>
          </li>
        ))}
        <li>
          <FilePicker class="card dashed" onFiles={attachAndRead}>
            <b>
              <Icon name="file" /> Query a file
            </b>
            <span>
              Drop CSV, Parquet, JSON, Avro or Arrow files anywhere on the page, or choose them here.
            </span>
          </FilePicker>
        </li>
      </ul>
    </div>
  );
}
