/**
 * Prints the sum of test results in one line, such as `12 passed, 0 failed`. Exits with 1 after any failure.
 *
 * Arguments: the number of other checks that failed, then a file with JSON results for each run. A run without a
 * results file, or that failed without a failed test, counts as one failure.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { isRecord, parseJson } from '../src/lib/trust.ts';

type ResultCounts = { readonly passed: number; readonly failed: number };

function readResults(path: string): ResultCounts {
  try {
    const results = parseJson(readFileSync(path, 'utf8'));
    if (!isRecord(results)) return { passed: 0, failed: 1 };
    const passed = Number(results['numPassedTests']);
    const failed = Number(results['numFailedTests']);
    return { passed, failed: failed === 0 && results['success'] !== true ? 1 : failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const [failedChecks = '0', ...paths] = process.argv.slice(2);
const counts = paths.map(readResults);
const passed = counts.reduce((sum, run) => sum + run.passed, 0);
const failed = counts.reduce((sum, run) => sum + run.failed, Number(failedChecks));
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
