/**
 * Prints each failed test and its first error line, then the sum of all results, such as `12 passed, 0 failed`. Exits
 * with 1 after any failure.
 *
 * Arguments: the number of other checks that failed, then a file with JSON results for each run. A run without a
 * results file, or that failed without a failed test, counts as one failure.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { parseJson } from '../src/lib/trust.ts';

const testRunSchema = z.object({
  success: z.boolean(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

type TestRun = z.infer<typeof testRunSchema>;
type RunSummary = { readonly passed: number; readonly failed: number; readonly failures: readonly string[] };

function firstLine(text: string): string {
  return stripVTControlCharacters(text).split('\n')[0] ?? '';
}

function describeFailures({ testResults }: TestRun): readonly string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const failedTests = assertionResults.filter((result) => result.status === 'failed');
    if (failedTests.length === 0) return status === 'failed' ? [`${file}: ${firstLine(message)}`] : [];
    return failedTests.map((test) => `${file} > ${test.fullName}: ${firstLine(test.failureMessages?.[0] ?? '')}`);
  });
}

function readResults(path: string): RunSummary {
  let run: TestRun;
  try {
    run = testRunSchema.parse(parseJson(readFileSync(path, 'utf8')));
  } catch {
    return { passed: 0, failed: 1, failures: [`${path}: the run left no readable results`] };
  }
  const failed = run.numFailedTests === 0 && !run.success ? 1 : run.numFailedTests;
  return { passed: run.numPassedTests, failed, failures: describeFailures(run) };
}

const [failedChecks = '0', ...paths] = process.argv.slice(2);
const runs = paths.map(readResults);
const passed = runs.reduce((sum, run) => sum + run.passed, 0);
const failed = runs.reduce((sum, run) => sum + run.failed, Number(failedChecks));
for (const failure of runs.flatMap((run) => run.failures)) process.stdout.write(`failed: ${failure}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
