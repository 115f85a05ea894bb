import { resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGitHub } from '../../adapters/github/create-github.ts';
import { apiBaseUrl } from '../../adapters/github/requests/client.ts';
import type { AppSetup } from '../../core/step/app-rights.ts';
import { readVersion } from '../../lib/package.ts';
import { defineCommand, OptionsError, reportProblem, runCommand } from '../options.ts';
import { startBrowserFlow } from './browser-flow.ts';
import { envText, findWriteObstacle, type ModelChoice, setupFiles, writeSetupFiles } from './env-file.ts';
import { convertCode, type GitHubSite, proposedName, type RegisteredApp, RegistrationError } from './registration.ts';

const SETUP_COMMAND = defineCommand({
  name: 'countersign setup',
  help: `Usage: countersign setup [--org ORG] [--url URL] [--ghe HOST] [--dir DIR]

Registers a GitHub App of your own, with two clicks in the browser, and writes its settings to .env and app.pem.
It never replaces a file.

  --org ORG      the organization that will own the App; asked on the page too
  --url URL      the address of your server that GitHub can reach, such as https://countersign.example.org;
                 without it the server hears from GitHub's log of deliveries, and needs no address
  --ghe HOST     a GitHub Enterprise Server, or a subdomain of ghe.com; http:// before it for a server without TLS
  --dir DIR      where to write the files (the working directory)
  --code CODE    finish a registration that was confirmed elsewhere: the code in the address GitHub leads back to
  --no-wait      end without waiting until the App is installed
  --help         print this text

Ends with 0 once the App is registered, 1 if it could not be, and 2 for wrong options.
`,
  options: {
    ...{ org: { type: 'string' }, url: { type: 'string' }, ghe: { type: 'string' }, dir: { type: 'string' } },
    ...{ code: { type: 'string' }, 'no-wait': { type: 'boolean' } },
  },
  read({ org = null, url = null, ghe = null, dir = '.', code = null, 'no-wait': noWait = false }) {
    const site = readSite(ghe);
    if (site === null) throw new OptionsError('--ghe needs a host, such as github.example.org.');
    const webhookUrl = url === null ? null : readWebhookUrl(url);
    if (url !== null && webhookUrl === null) throw new OptionsError('--url needs an https:// address.');
    return { site, organization: org, webhookUrl, dir, code, waits: !noWait };
  },
});

type SetupOptions = ReturnType<typeof SETUP_COMMAND.read>;

/** Runs `countersign setup`. Exit code: 0, 1 if the App could not be registered or stored, 2 for wrong options. */
export function runSetup(argv: readonly string[]): Promise<number> {
  return runCommand(SETUP_COMMAND, argv, setUp);
}

function readSite(ghe: string | null): GitHubSite | null {
  if (ghe === null) return { host: 'github.com', protocol: 'https' };
  const { protocol, host, pathname } = URL.parse(/^https?:\/\//.test(ghe) ? ghe : `https://${ghe}`) ?? {};
  if (host === undefined || pathname !== '/') return null;
  return { host, protocol: protocol === 'http:' ? 'http' : 'https' };
}

const WEBHOOK_PATH = '/api/github/webhooks';

function readWebhookUrl(url: string): string | null {
  const { protocol, origin, pathname } = URL.parse(url) ?? {};
  if (protocol !== 'https:') return null;
  return pathname === '/' ? `${origin}${WEBHOOK_PATH}` : url;
}

async function setUp(options: SetupOptions): Promise<number> {
  const obstacle = findWriteObstacle(options.dir);
  if (obstacle !== null) return fail(obstacle);
  try {
    const { code, site } = options;
    const app = await (code === null
      ? registerInBrowser(options)
      : store(options, await convertCode(site, code), NO_MODEL));
    print(`\nInstall it on a repository: ${installUrl(app)}`);
    if (options.waits) await waitForInstallation(options, app);
    printNextSteps(options);
    return 0;
  } catch (error) {
    if (error instanceof RegistrationError) return fail(error.message);
    throw error;
  }
}

const NO_MODEL: ModelChoice = { model: '', apiKey: '', baseUrl: '' };

async function registerInBrowser(options: SetupOptions): Promise<RegisteredApp> {
  const { site, organization, webhookUrl } = options;
  const flow = await startBrowserFlow({ site, organization, webhookUrl, name: proposedName(organization) });
  try {
    print(`Open ${flow.url} in a browser of this machine.`);
    const { port } = new URL(flow.url);
    print(`(From another machine: run "ssh -L ${port}:127.0.0.1:${port} SERVER" there first.)`);
    const { code, form } = await flow.registered;
    try {
      const app = store(options, await convertCode(site, code), form);
      flow.finish({ installUrl: installUrl(app) });
      return app;
    } catch (error) {
      flow.finish({ problem: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  } finally {
    flow.close();
  }
}

/** Writes the files. No signal can interrupt it, because it waits for nothing. Throws `RegistrationError`. */
function store({ site, dir, webhookUrl }: SetupOptions, app: RegisteredApp, model: ModelChoice): RegisteredApp {
  const { key, env } = setupFiles(dir);
  try {
    writeSetupFiles(
      dir,
      app.privateKey,
      envText({ app, site, keyFile: resolve(key), model, polls: webhookUrl === null }),
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RegistrationError(
      `The App is registered, and its settings could not be written (${reason}): delete it at ${app.url}, then try again.`,
    );
  }
  print(`Registered ${app.slug}. Wrote ${env} and ${key}, which only you can read.`);
  return app;
}

function installUrl({ url }: RegisteredApp): string {
  return `${url}/installations/new`;
}

const LOOK_INTERVAL_MS = 2_000;

/** SIGINT ends the wait: the files are complete, and the rest can be done at any time. */
async function waitForInstallation({ site }: SetupOptions, app: RegisteredApp): Promise<void> {
  const github = createGitHub({
    ...{ appId: app.id, privateKey: app.privateKey, version: readVersion() },
    baseUrl: apiBaseUrl(site.host, site.protocol),
    site: `${site.protocol}://${site.host}`,
  });
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  print('Waiting until it is installed (Ctrl-C ends the wait; everything is written) …');
  while (!stopping.signal.aborted) {
    const setup = await github.fetchSetup().catch((): AppSetup | null => null);
    const [installed] = setup?.installations ?? [];
    if (installed !== undefined) {
      print(`Installed on ${installed.account}.`);
      return;
    }
    await sleep(LOOK_INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => {});
  }
}

function printNextSteps({ dir }: SetupOptions): void {
  const place = dir === '.' ? '' : ` in ${dir}`;
  print(`\nWhat comes next${place}:`);
  print('  1. Set OPENAI_MODEL and OPENAI_API_KEY in .env, unless you did on the page.');
  print('  2. countersign start (in a checkout: npm start)');
  print('  3. Comment "/countersign <task>" on a pull request.');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(problem: string): number {
  return reportProblem(SETUP_COMMAND.name, problem, 1);
}
