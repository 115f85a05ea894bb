import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { Files } from './tasks/task.ts';

/** The result of a repository's tests. `output` is what people see in CI, cut to some lines. */
export type TestResult = { readonly passed: boolean; readonly failing: readonly string[]; readonly output: string };

const TIME_LIMIT_MS = 30_000;

const MAX_OUTPUT_LINES = 40;

/** Node's permissions have none for the network, so the sockets themselves refuse. */
const NO_NETWORK = `data:text/javascript,${encodeURIComponent(
  `import net from 'node:net'; import dgram from 'node:dgram';
   const refuse = () => { throw new Error('Tests have no network.'); };
   net.Socket.prototype.connect = refuse; net.Server.prototype.listen = refuse; dgram.createSocket = refuse;`,
)}`;

/**
 * Runs the tests of a repository with `node --test` in one process and a directory of its own. A model wrote some of
 * the code: it can read that directory, and has no network, no environment, no processes and nothing to write to.
 */
export async function runTests(files: Files, timeLimitMs = TIME_LIMIT_MS): Promise<TestResult> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-eval-')));
  try {
    writeFiles(directory, files);
    const { code, output } = await runNode(directory, timeLimitMs, [
      ...['--permission', `--allow-fs-read=${directory}`, '--import', NO_NETWORK],
      ...['--test', '--test-isolation=none', '--test-reporter=tap'],
    ]);
    const failing = [...output.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, name = '']) => name);
    const count = Number(/^# tests (\d+)$/m.exec(output)?.[1] ?? 0);
    const shown = readableLines(output, directory).slice(0, MAX_OUTPUT_LINES).join('\n');
    if (code === 0 && count === 0) return { passed: false, failing: ['(there are no tests)'], output: shown };
    return { passed: code === 0, failing, output: shown };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function writeFiles(directory: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

type NodeResult = { readonly code: number | null; readonly output: string };

function runNode(directory: string, timeLimitMs: number, argv: readonly string[]): Promise<NodeResult> {
  const limits = { timeout: timeLimitMs, killSignal: 'SIGKILL', maxBuffer: 4_000_000 } as const;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...argv],
      { cwd: directory, env: {}, ...limits },
      (error, stdout, stderr) => {
        const ended = error?.killed === true ? `\nnot ok 0 - (the tests took longer than ${timeLimitMs / 1000} s)` : '';
        resolve({ code: error === null ? 0 : (child.exitCode ?? 1), output: `${stdout}${stderr}${ended}` });
      },
    );
  });
}

/** Without durations, stacks and the directory, so that people and models see what failed. */
function readableLines(output: string, directory: string): readonly string[] {
  return output
    .replaceAll(directory, '.')
    .split('\n')
    .filter((line) => /^ *(?:not ok|error:|code:|expected:|actual:|# (?:tests|pass|fail) )|^ {4,}\S/.test(line))
    .filter((line) => !/node:internal|^ *(?:at |Test\.|async |TestContext|new |process\.)/.test(line));
}
