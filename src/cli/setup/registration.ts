import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiBaseUrl } from '../../adapters/github/requests/client.ts';
import { REGISTERED_EVENTS, REGISTERED_PERMISSIONS } from '../../core/step/app-rights.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';

/** A GitHub: github.com, a subdomain of ghe.com, or a server of one's own. */
export type GitHubSite = { readonly host: string; readonly protocol: 'http' | 'https' };

/** What a person chose on the page of `countersign setup`. */
export type Choice = {
  readonly name: string;
  /** Login of the organization that will own the App; null for the person's own account. */
  readonly organization: string | null;
};

/**
 * The address of the webhook of an App that hears from GitHub's log of deliveries. A host below `.invalid` can have no
 * owner, so the payloads that GitHub sends there are lost.
 */
const NOBODYS_ADDRESS = 'https://countersign.invalid/';

/** The limit of GitHub. */
export const MAX_NAME_LENGTH = 34;

/** The name proposed for an App: GitHub wants one that no other App has. */
export function proposedName(account: string | null): string {
  return (account === null ? 'countersign' : `countersign-${account}`).slice(0, MAX_NAME_LENGTH);
}

type ManifestInput = {
  readonly name: string;
  /** Address that GitHub can reach; null for an App that hears from GitHub's log of deliveries. */
  readonly webhookUrl: string | null;
  /** Where GitHub sends the browser with the code. */
  readonly redirectUrl: string;
};

/** The registration of the App in the form of GitHub's App manifests. */
export function createManifest({ name, webhookUrl, redirectUrl }: ManifestInput): Readonly<Record<string, unknown>> {
  return {
    name,
    url: 'https://github.com/apps/countersign',
    description:
      'An AI coding agent inside pull requests that cannot change a byte without a person’s countersignature.',
    public: false,
    redirect_url: redirectUrl,
    hook_attributes: { url: webhookUrl ?? NOBODYS_ADDRESS, active: true },
    default_permissions: REGISTERED_PERMISSIONS,
    default_events: REGISTERED_EVENTS,
  };
}

/** The page of GitHub that takes a manifest. */
export function registrationUrl({ host, protocol }: GitHubSite, organization: string | null, state: string): string {
  const owner = organization === null ? '' : `organizations/${encodeURIComponent(organization)}/`;
  return `${protocol}://${host}/${owner}settings/apps/new?state=${encodeURIComponent(state)}`;
}

/** A registered App, as GitHub gives it once for a code. */
export type RegisteredApp = {
  readonly id: number;
  readonly slug: string;
  /** PEM of its private key. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** Its page on GitHub. */
  readonly url: string;
};

/** GitHub did not give the App for a code. The message says what to do. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError';
}

const TIMEOUT_MS = 15_000;

/** Exchanges the code of a registration for the App. A code works once, for an hour. Throws `RegistrationError`. */
export async function convertCode({ host, protocol }: GitHubSite, code: string): Promise<RegisteredApp> {
  const address = `${apiBaseUrl(host, protocol)}/app-manifests/${encodeURIComponent(code)}/conversions`;
  const response = await sendConversion(address, host);
  if (response.status === 404 || response.status === 422)
    throw new RegistrationError(
      'GitHub does not know this code: it works once, and for an hour. Run countersign setup again; if the App was made, delete it on its page first, or register it by hand.',
    );
  if (!response.ok)
    throw new RegistrationError(`GitHub answered with status ${response.status}. Try again in a minute.`);
  const app = readApp(parseJson(await response.text()));
  if (app === null) throw new RegistrationError(`${host} does not answer as GitHub does. Check --ghe.`);
  return app;
}

async function sendConversion(address: string, host: string): Promise<Response> {
  const headers = { accept: 'application/vnd.github+json', 'user-agent': 'countersign' };
  try {
    return await fetch(address, {
      method: 'POST',
      headers,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new RegistrationError(`${host} cannot be reached (${cause}). Check the network, then use --code.`);
  }
}

function readApp(answer: unknown): RegisteredApp | null {
  if (!isRecord(answer)) return null;
  const { id, slug, pem, webhook_secret: secret, html_url: url } = answer;
  const isComplete = typeof id === 'number' && [slug, pem, secret, url].every((text) => typeof text === 'string');
  return isComplete
    ? { id, slug: String(slug), privateKey: String(pem), webhookSecret: String(secret), url: String(url) }
    : null;
}

/** The model's settings that a person gave; empty ones stand as comments in the file. */
export type ModelChoice = { readonly model: string; readonly apiKey: string; readonly baseUrl: string };

type EnvInput = {
  readonly app: RegisteredApp;
  readonly site: GitHubSite;
  readonly keyFile: string;
  readonly model: ModelChoice;
  /** Whether the App hears from GitHub's log of deliveries. */
  readonly polls: boolean;
};

/** The text of `.env`: one variable a line, each with a comment that says what it is. */
export function envText({ app, site, keyFile, model, polls }: EnvInput): string {
  const lines = [
    `# The GitHub App ${app.slug}: ${app.url}`,
    `APP_ID=${app.id}`,
    `PRIVATE_KEY_PATH=${quoted(keyFile)}`,
    `WEBHOOK_SECRET=${quoted(app.webhookSecret)}`,
    ...(site.host === 'github.com' ? [] : [`GHE_HOST=${site.host}`, `GHE_PROTOCOL=${site.protocol}`]),
    '',
    '# The model. A key is required unless OPENAI_BASE_URL is set to an endpoint of your own.',
    variable('OPENAI_MODEL', model.model),
    variable('OPENAI_API_KEY', model.apiKey),
    variable('OPENAI_BASE_URL', model.baseUrl),
    '',
    ...(polls
      ? ['# Hear from GitHub’s log of deliveries; remove it once GitHub can reach this server.', 'POLL=5s']
      : ['# GitHub sends its webhooks to this server.', '# POLL=5s']),
  ];
  return `${lines.join('\n')}\n`;
}

function variable(name: string, value: string): string {
  return value === '' ? `# ${name}=` : `${name}=${quoted(value)}`;
}

/** Node's loader and Docker read plain values alike; quotes stand only where a value needs them. */
function quoted(value: string): string {
  return /^[\w./:@+=-]*$/.test(value) ? value : `'${value.replaceAll("'", '')}'`;
}

/** The files that `setup` writes, in the order of writing. */
export function setupFiles(dir: string): { readonly key: string; readonly env: string } {
  return { key: join(dir, 'app.pem'), env: join(dir, '.env') };
}

/** Why the files cannot be written, before an App is registered for them; null if they can be. */
export function findWriteObstacle(dir: string): string | null {
  const { key, env } = setupFiles(dir);
  const existing = [key, env].find((path) => existsSync(path));
  if (existing !== undefined)
    return `${existing} exists, and setup replaces no file: move it away, or choose another --dir.`;
  try {
    accessSync(dir, constants.W_OK);
    return null;
  } catch (error) {
    return `Nothing can be written in ${dir} (${error instanceof Error ? error.message : error}): choose another --dir.`;
  }
}

/** Writes both files, or none: readable by the owner alone, and never over a file. Throws the file system's error. */
export function writeSetupFiles(dir: string, pem: string, env: string): void {
  const files = setupFiles(dir);
  const options = { mode: 0o600, flag: 'wx' } as const;
  writeFileSync(files.key, pem, options);
  try {
    writeFileSync(files.env, env, options);
  } catch (error) {
    rmSync(files.key, { force: true });
    throw error;
  }
}
