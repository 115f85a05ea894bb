/**
 * Sums test results up in one line: `12 passed, 0 failed`.
 *
 * Arguments: how many other checks failed, then the JSON results of each run. A run that left no results, or that
 * failed without a failed test (a file that cannot be loaded), counts as one failure. Exits with 1 after any failure.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { isRecord, parseJson } from '../src/lib/trust.ts';

type Sum = { readonly passed: number; readonly failed: number };

function read(path: string): Sum {
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

const [broken = '0', ...paths] = process.argv.slice(2);
const sums = paths.map(read);
const passed = sums.reduce((total, sum) => total + sum.passed, 0);
const failed = sums.reduce((total, sum) => total + sum.failed, Number(broken));
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
