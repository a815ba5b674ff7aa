import { readFile } from 'node:fs/promises';
import { REPORT_VERSION, type Report } from './report.ts';

/** Reads a file that `--json` wrote. @throws Error with the reason why it is invalid */
export async function readReport(file: string): Promise<Report> {
  let read: unknown;
  try {
    read = JSON.parse(await readFile(file, 'utf8'), notANumber);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
  const report = read as Partial<Report> | null;
  if (!Array.isArray(report?.results)) throw new Error(`${file}: not a report of tessera-loadtest`);
  if (report.version !== REPORT_VERSION)
    throw new Error(
      `${file}: of version ${report.version ?? 'none'}, and this program reads ${REPORT_VERSION}`,
    );
  return report as Report;
}

/** JSON has no NaN, so a figure that could not be measured was written as null. */
const notANumber = (_key: string, value: unknown): unknown => (value === null ? Number.NaN : value);
