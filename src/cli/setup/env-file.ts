import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitHubSite, RegisteredApp } from './registration.ts';

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
