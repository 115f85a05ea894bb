/** Plays one whole run on a real GitHub with a running App; see `npm run smoke -- --help`. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { apiBaseUrl } from '../../src/adapters/github/requests/client.ts';
import { readEnvironment } from '../../src/app/config/env.ts';
import { readKeyFile, readPrivateKey } from '../../src/app/config/keys.ts';
import { defineCommand, OptionsError, reportProblem, runCommand } from '../../src/cli/options.ts';
import { verifyRange } from '../../src/cli/verify/verify.ts';
import { createPersonOnGitHub } from './github.ts';
import { playTrial } from './play.ts';
import { type AppAccess, createQuestions } from './questions.ts';

export const SMOKE_COMMAND = defineCommand({
  name: 'npm run smoke',
  help: `Usage: npm run smoke -- --repo OWNER/NAME [--minutes N]

Plays one whole run on a pull request of its own, on the real GitHub with your running App and its model: task,
proposal, approve, deny, instruct, undo, verify. Then it closes the pull request and deletes its branch.

  --repo OWNER/NAME  a repository for trials, on which the App is installed
  --minutes N        how long one answer may take (10)
  --help             print this text

GITHUB_TOKEN is the token of a person who can push there. APP_ID and PRIVATE_KEY_PATH, also from .env, let it ask
what only GitHub itself can answer. GHE_HOST names another server.

Exit code: 0 if everything held, 1 if not, 2 if it could not begin.
`,
  options: { repo: { type: 'string' }, minutes: { type: 'string', default: '10' } },
  read({ repo: repository = '', minutes }) {
    if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new OptionsError('--repo needs a name such as acme/trials.');
    if (!/^[1-9]\d?$/.test(minutes)) throw new OptionsError('--minutes needs a number from 1 to 99.');
    return { repository, minutes: Number(minutes) };
  },
});

/** Runs `npm run smoke`. Exit code: 0, 1 (something did not hold), or 2 (could not begin). */
export function runSmoke(argv: readonly string[]): Promise<number> {
  return runCommand(SMOKE_COMMAND, argv, async ({ repository, minutes }) => {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const { GITHUB_TOKEN: token, GHE_HOST: host = 'github.com' } = readEnvironment();
    if (!token)
      return reportProblem(SMOKE_COMMAND.name, 'GITHUB_TOKEN is not set: it is the token of a person who can push.');
    const baseUrl = apiBaseUrl(host, 'https');
    const person = createPersonOnGitHub({ baseUrl, token, repository });
    const clone = { url: `https://${host}/${repository}.git`, token };
    const steps = await playTrial({
      person,
      now: Date.now,
      sleep: (ms) => sleep(ms),
      patienceMs: minutes * 60_000,
      verify: (commits) => verifyClone(clone, { ...commits, host }),
      ask: createQuestions({ person, app: appAccess(baseUrl), now: Date.now }),
      print: (line) => void process.stdout.write(`${line}\n`),
    });
    return steps.every(({ problem }) => problem === null) ? 0 : 1;
  });
}

/** The App's key, for the questions; null where it is not at hand. */
function appAccess(baseUrl: string): AppAccess | null {
  const { APP_ID, CLIENT_ID, PRIVATE_KEY, PRIVATE_KEY_PATH } = readEnvironment();
  const key = readPrivateKey(PRIVATE_KEY, PRIVATE_KEY_PATH, readKeyFile);
  const appId = APP_ID ?? CLIENT_ID;
  return key.kind === 'key' && appId !== undefined ? { appId, privateKey: key.pem, baseUrl } : null;
}

type Clone = { readonly url: string; readonly token: string };

type Commits = { readonly base: string; readonly head: string; readonly slug: string; readonly host: string };

/** Clones and verifies. The token reaches git by its environment, because other users can read its arguments. */
async function verifyClone({ url, token }: Clone, { base, head, slug, host }: Commits): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-smoke-'));
  const login = Buffer.from(`x-access-token:${token}`).toString('base64');
  const header = { GIT_CONFIG_KEY_0: 'http.extraHeader', GIT_CONFIG_VALUE_0: `Authorization: Basic ${login}` };
  try {
    const env = { ...readEnvironment(), GIT_CONFIG_COUNT: '1', ...header, GIT_TERMINAL_PROMPT: '0' };
    await promisify(execFile)('git', ['clone', '--quiet', '--bare', url, folder], { env });
    return await verifyFolder(folder, { base, head, slug, host });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What `countersign verify` says of these commits; null if all of them hold. */
export async function verifyFolder(gitDir: string, { base, head, slug, host }: Commits): Promise<string | null> {
  const rows = await verifyRange({ gitDir, range: `${base}..${head}`, slug, host });
  const bad = rows.filter(({ result }) => result !== 'ok');
  if (rows.length === 0) return 'the branch has no change of the App';
  return bad.length === 0 ? null : bad.map(({ commit, problem }) => `${commit.slice(0, 7)}: ${problem}`).join('; ');
}

if (import.meta.main) process.exitCode = await runSmoke(process.argv.slice(2));
