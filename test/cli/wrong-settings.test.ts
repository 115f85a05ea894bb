import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAppEnvironment } from '../../fakes/github/fake-github.ts';
import { createWebhookConfig, type WebhookConfig } from '../../fakes/github/http/server-state.ts';
import type { ScriptEntry } from '../../fakes/model/script.ts';
import type { DatabaseFacts } from '../../src/adapters/store/engine/inspect.ts';
import { createAppSetupProbe, createWebhookProbe } from '../../src/app/app-setup-probes.ts';
import { type Environment, parseEnvironment } from '../../src/app/config/env.ts';
import { readKeyFile } from '../../src/app/config/keys.ts';
import {
  createClockProbe,
  createProxyProbe,
  createRoomProbe,
  databaseFindings,
  type MachineRoom,
} from '../../src/app/environment-probes.ts';
import { type Finding, startProbes } from '../../src/app/probes.ts';
import { renderStatusPage } from '../../src/app/status-page.ts';
import { render, runProbes, settingsLines } from '../../src/cli/doctor/doctor.ts';
import type { AppSetup, AppWebhook } from '../../src/core/step/app-rights.ts';
import { REGISTERED_EVENTS, REGISTERED_PERMISSIONS } from '../../src/core/step/app-rights.ts';
import { escapeHtml } from '../../src/lib/format.ts';
import { openScenery, type Scenery } from '../stories/support/scenery.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const folder = scratchFolder();

/** A file with the key. */
function keyFile(mode: number): string {
  const path = join(folder, `app-${mode}.pem`);
  writeFileSync(path, pem);
  chmodSync(path, mode);
  return path;
}

const cipher = { cipher: 'aes-256-cbc', passphrase: 'canary' };

/** Values that a table names, because they are long or made here. */
const NAMED: Readonly<Record<string, string>> = {
  $encrypted: privateKey.export({ type: 'pkcs8', format: 'pem', ...cipher }).toString(),
  $ed25519: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  $openssh: '-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----\n',
  $public: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  ...{ $folder: folder, $shared: keyFile(0o644), $own: keyFile(0o600) },
};

/** The rows of a table: variables, and the beginning of the only sentence about them. */
function rows(table: string): readonly (readonly [string, string])[] {
  return table
    .trim()
    .split('\n')
    .map((row) => {
      const [, variables = '', sentence = ''] = /^(.*?) *\| *(.*)$/.exec(row) ?? [];
      return [variables, sentence];
    });
}

/** A complete environment with these variables, as in `PORT=1 HOST=::`. */
function environment(variables: string): Environment {
  const changes = variables.split(/ (?=[A-Z_]+=)/).map((text) => text.split(/=(.*)/s));
  return {
    ...{ APP_ID: '7', PRIVATE_KEY: pem, WEBHOOK_SECRET: 'b2f1c09d7e6a4835' },
    ...{ OPENAI_MODEL: 'some-model', OPENAI_API_KEY: 'key-of-the-model' },
    ...Object.fromEntries(changes.map(([name, value = '']) => [name, NAMED[value] ?? value])),
  };
}

/** Secret parts have the word `canary`, which no sentence may show. */
const REFUSED = rows(`
APP_ID=                              | APP_ID is missing: it is the number on the page of your GitHub App
APP_ID=seven                         | APP_ID must be the number on the page of your GitHub App ("App ID"), or its
WEBHOOK_SECRET=                      | WEBHOOK_SECRET is missing: make one with "openssl rand -hex 32"
WEBHOOK_SECRET=development           | WEBHOOK_SECRET is a well-known example: make one with "openssl rand -hex 32"
WEBHOOK_SECRET=Your-Webhook-Secret   | WEBHOOK_SECRET is a well-known example
WEBHOOK_SECRET=canary7b2e584         | WEBHOOK_SECRET is shorter than 16 characters: make one
WEBHOOK_SECRET=aaaaaaaaaaaaaaaaaaaa  | WEBHOOK_SECRET is made of too few different characters
WEBHOOK_SECRET_OLD=development       | WEBHOOK_SECRET_OLD is a well-known example
PRIVATE_KEY=                         | PRIVATE_KEY or PRIVATE_KEY_PATH is missing: generate one
PRIVATE_KEY=canary                   | PRIVATE_KEY is not a private key in PEM format
PRIVATE_KEY=$encrypted               | PRIVATE_KEY is encrypted with a passphrase: decrypt it with "openssl rsa
PRIVATE_KEY=$ed25519                 | PRIVATE_KEY is not an RSA key, which GitHub Apps require
PRIVATE_KEY=$openssh                 | PRIVATE_KEY is an OpenSSH key, and the one that GitHub gave for the App
PRIVATE_KEY=$public                  | PRIVATE_KEY is public, and the private key is needed
PRIVATE_KEY=/run/app.pem             | PRIVATE_KEY is the name of a file: set PRIVATE_KEY_PATH to it
PRIVATE_KEY_PATH=/x                  | PRIVATE_KEY and PRIVATE_KEY_PATH are both set: keep only one of them
PRIVATE_KEY= PRIVATE_KEY_PATH=/none  | PRIVATE_KEY_PATH cannot be read: check that /none exists
PRIVATE_KEY= PRIVATE_KEY_PATH=$folder | PRIVATE_KEY_PATH cannot be read: check that ${folder} exists and is readable (it is a dir
GHE_HOST=https://ghe.example.com/api | GHE_HOST must be a host name, without https:// and without a path
GHE_HOST=ghe.example.com:99999       | GHE_HOST must be a host name, and its port at most 65535
GHE_HOST=API.github.com              | GHE_HOST must be the host of the pages, github.com or as in acme.ghe.com
GHE_HOST=github.com:443              | GHE_HOST must be the host of the pages
GHE_HOST=api.acme.ghe.com            | GHE_HOST must be the host of the pages
GHE_PROTOCOL=ftp                     | GHE_PROTOCOL must be one of https, http
PORT=65536                           | PORT must be a number from 0 to 65535
WEBHOOK_PATH=hooks                   | WEBHOOK_PATH must begin with "/"
WEBHOOK_PATH=/readyz                 | WEBHOOK_PATH must begin with "/", contain no query and be none of /healthz
WEBHOOK_PATH=/hooks/                 | WEBHOOK_PATH must not end with "/", nor must the webhook URL on GitHub
OPENAI_MODEL=                        | OPENAI_MODEL is missing: set it to the name of the model
OPENAI_API_KEY=                      | OPENAI_API_KEY is missing: set it, or set OPENAI_BASE_URL
OPENAI_API_KEY=“sk-canary-0123”      | OPENAI_API_KEY has U+201C as character 1, which no key has: copy the whole key
OPENAI_API_KEY=sk-canary…789         | OPENAI_API_KEY has U+2026 as character 10,
OPENAI_API_KEY=sk-canary\u200B01     | OPENAI_API_KEY has U+200B as character 10,
OPENAI_API_KEY=Bearer sk-canary      | OPENAI_API_KEY has U+0020 as character 7,
OPENAI_BASE_URL=file:///etc/passwd   | OPENAI_BASE_URL must be an http:// or https:// address
OPENAI_BASE_URL=https://canary@x.com | OPENAI_BASE_URL must have no user and no password: set OPENAI_API_KEY
OPENAI_BASE_URL=https://:canary@x.com | OPENAI_BASE_URL must have no user and no password
OPENAI_API=completions               | OPENAI_API must be one of responses, chat
MODEL_IDLE_TIMEOUT=0                 | MODEL_IDLE_TIMEOUT must be a whole number of seconds from 1 to 300
MODEL_TIMEOUT=60 MODEL_IDLE_TIMEOUT=61 | MODEL_IDLE_TIMEOUT must not be longer than MODEL_TIMEOUT
MODEL_TIMEOUT=15m                    | MODEL_TIMEOUT must be a whole number of seconds from 1 to 3600
MODEL_MAX_OUTPUT_TOKENS=1e3          | MODEL_MAX_OUTPUT_TOKENS must be a whole number of tokens from 1 to 1000000
MODEL_CONTEXT_TOKENS=999             | MODEL_CONTEXT_TOKENS must be a whole number of tokens from 1000
MODEL_REASONING_EFFORT=very high     | MODEL_REASONING_EFFORT must be one lowercase word
MODEL_TEMPERATURE=2.5                | MODEL_TEMPERATURE must be a number from 0 to 2
ALLOWED_OWNERS=a,,b                  | ALLOWED_OWNERS must be account names separated by commas
PAUSED=yes                           | PAUSED must be one of 1, 0
POLL=1s                              | POLL must be a time from 5s to 5m
POLL=5                               | POLL must be a time from 5s to 5m
DATABASE_URL=mysql://me:canary@x/y   | DATABASE_URL must be a postgres:// address
DATABASE_URL=postgres://me:canary@x  | DATABASE_URL must end with the name of a database
DATABASE_URL=postgres://canary@x/?sslmode=require | DATABASE_URL must end with the name of a database
DATABASE_URL=postgres://canary@x/y?sslmode=verify_full | DATABASE_URL has sslmode=verify_full, which must be one of
DATABASE_URL=postgres://me:canary#1@x/y | DATABASE_URL has a "#", "/", "?", "@" or "%" in its user, password or name
DATABASE_URL=postgres://me:1#canary@x/y | DATABASE_URL has a "#",
DATABASE_URL=postgres://me:canary/1@x/y | DATABASE_URL has a "#",
DATABASE_URL=postgres://me:1/canary@x/y | DATABASE_URL has a "#",
DATABASE_URL=postgres://me:canary?1@x/y | DATABASE_URL has a "#",
DATABASE_URL=postgres://me:9%canary@x/y | DATABASE_URL has a "#",
CONFIG_FILE=/none.yml                | CONFIG_FILE /none.yml cannot be read (ENOENT): correct its path or mode
LOG_LEVEL=all                        | LOG_LEVEL must be one of trace, debug
LOG_FORMAT=xml                       | LOG_FORMAT must be one of json, pretty
`);

describe('a setting that is missing or wrong', () => {
  it.each(REFUSED)('%s is one line at the start and in doctor, without secrets (F1, O2, O4, O9)', (given, sentence) => {
    const loaded = parseEnvironment(environment(given), readKeyFile);
    expect(loaded).toMatchObject({ kind: 'problems', problems: [expect.stringContaining(sentence)] });
    const [line = '', ...more] = settingsLines(loaded).map(render);
    expect(line).toContain(`✗ a setting is missing or wrong: ${sentence}`);
    expect(line).not.toContain('canary');
    expect(more).toEqual([]);
  });

  it('O2: a misspelt variable is named beside the missing one', () => {
    const loaded = parseEnvironment(environment('OPENAI_MODEL= OPENAI_MODLE=some-model'), readKeyFile);
    expect(settingsLines(loaded).map(({ fix }) => fix)).toEqual([
      'OPENAI_MODEL is missing: set it to the name of the model that your endpoint serves.',
      'OPENAI_MODLE is no variable of Countersign: did you mean OPENAI_MODEL?',
    ]);
  });
});

/** Settings that work, but not as the person might think; without a sentence, as the person thinks. */
const WARNED = rows(`
DATA_DIR=0755                        | DATA_DIR can be accessed by other users (mode 0755): chmod 700 it.
DATA_DIR=2770                        | DATA_DIR can be accessed by other users (mode 0770): chmod 700 it.
DATA_DIR=0701                        | DATA_DIR can be accessed by other users (mode 0701): chmod 700 it.
DATA_DIR=0700                        |
DATA_DIR=none                        |
DATABASE_URL=postgres://x/y DATA_DIR=0700 | DATA_DIR (0700) has a database that is not used, because DATABASE_URL is set
PAUSED=1                             | PAUSED is 1: webhooks are stored, and nothing else happens
PRIVATE_KEY= PRIVATE_KEY_PATH=$shared | PRIVATE_KEY_PATH can be read by other users (mode 0644): chmod 600 it.
PRIVATE_KEY= PRIVATE_KEY_PATH=$own   |
ALOWED_OWNERS=acme HOSTNAME=pod-7 PATH=/bin TERM=x | ALOWED_OWNERS is no variable of Countersign: did you mean ALLOWED
ALOWED_OWNERS=acme ALLOWED_OWNERS=acme |
DATABASE_URL=postgres://x/y?sslmode=require | DATABASE_URL has sslmode=require, which means verify-full here
DATABASE_URL=postgres://x/y?a=b&sslmode=prefer | DATABASE_URL has sslmode=prefer, which means verify-full here
DATABASE_URL=postgres://x/y?sslmode=verify-ca&sslrootcert=/ca.pem | DATABASE_URL has sslmode=verify-ca, which means
DATABASE_URL=postgres://x/y?sslmode=verify-full |
DATABASE_URL=postgresql://me@[::1]:5433/y?sslmode=no-verify |
DATABASE_URL=postgres://x/y?sslmode=require&uselibpqcompat=true |
DATABASE_URL=postgres://me:can%23ary%2F%25@localhost/countersign |
DATABASE_URL=postgres://me:can@ary@localhost/countersign |
DATABASE_URL=postgres://localhost/countersign?user=me%40x&application_name=a@b |
OPENAI_BASE_URL=http://models.example.com/v1 | OPENAI_BASE_URL is plain http to another host
OPENAI_BASE_URL=http://localhost.example.com/v1 | OPENAI_BASE_URL is plain http to another host
OPENAI_BASE_URL=https://models.example.com/v1 |
OPENAI_BASE_URL=http://localhost:11434/v1 |
OPENAI_BASE_URL=http://127.0.0.2:1/v1 |
OPENAI_BASE_URL=http://[::1]:1/v1    |
GHE_HOST=ghe.example.com GHE_PROTOCOL=http | GHE_PROTOCOL is http: tokens and code travel to GHE_HOST unencrypted.
GHE_HOST=ghe.example.com             |
GHE_HOST=127.0.0.1:4010 GHE_PROTOCOL=http |
GHE_PROTOCOL=http                    |
MODEL_TIMEOUT=60                     |
`);

/** The name of a directory here is its mode. */
function modeOf(path: string): number | null {
  const mode = Number.parseInt(path, 8);
  return Number.isNaN(mode) ? null : mode;
}

describe('a setting that needs a look', () => {
  it.each(WARNED)('%s is one line at the start and in doctor: %s (O2, O8, O9, X3, X12)', (given, sentence) => {
    const loaded = parseEnvironment(environment(given), readKeyFile, modeOf);
    expect(loaded).toMatchObject({ warnings: sentence === '' ? [] : [expect.stringContaining(sentence)] });
    const line = sentence === '' ? '✓ the settings are complete' : `⚠ a setting needs a look: ${sentence}`;
    expect(settingsLines(loaded).map(render)).toEqual([expect.stringContaining(line)]);
  });
});

let scenery: Scenery;
beforeAll(async () => {
  scenery = await openScenery(Date.now);
});
afterAll(() => Promise.all([scenery.github.close(), scenery.model.close()]));

/** Looks at the fake GitHub and the fake model with these settings, as doctor does. */
async function withSettings(changes: Environment): Promise<readonly Finding[]> {
  const working = createAppEnvironment(scenery.github, scenery.model);
  const loaded = parseEnvironment({ ...working, DATABASE_URL: 'postgres://127.0.0.1:66/x', ...changes }, readKeyFile);
  if (loaded.kind === 'problems') throw new Error(loaded.problems.join('\n'));
  return runProbes(loaded.config);
}

async function withRefusedKey(message: string): Promise<readonly Finding[]> {
  const { faults } = scenery.github;
  faults.add({ route: 'GET /app', kind: 'fail-before-apply', status: 401, body: { message }, times: 99 });
  return withSettings({}).finally(() => faults.clear());
}

async function withHook(changes: Partial<WebhookConfig>): Promise<readonly Finding[]> {
  const { hook } = scenery.github.deliveries;
  Object.assign(hook, changes);
  return withSettings({}).finally(() => Object.assign(hook, createWebhookConfig()));
}

async function withModel(answer: ScriptEntry): Promise<readonly Finding[]> {
  scenery.model.answerChecks(answer);
  return withSettings({}).finally(() => scenery.model.answerChecks({ content: 'Ready.' }));
}

const refusal = (status: number, message: string, code: string | null = null): ScriptEntry => ({
  ...{ fault: 'status', status, body: { error: { message, type: 'invalid_request_error', code } } },
});

const never = new AbortController().signal;

const ACME = {
  ...{ account: 'acme', url: 'https://github.com/acme', isSuspended: false },
  ...{ permissions: REGISTERED_PERMISSIONS, events: REGISTERED_EVENTS },
};

function withApp(changes: Partial<AppSetup>): Promise<readonly Finding[]> {
  const setup: AppSetup = {
    ...{ permissions: REGISTERED_PERMISSIONS, events: REGISTERED_EVENTS, installations: [ACME] },
    ...{ settingsUrl: 'https://github.com/settings', installUrl: 'https://github.com/new', ...changes },
  };
  const ownerCheck = async () => (owner: string) => owner === 'acme';
  return createAppSetupProbe({ fetchSetup: async () => setup, ownerCheck }).run(never);
}

const withInstallation = (changes: Partial<AppSetup['installations'][number]>) =>
  withApp({ installations: [{ ...ACME, ...changes }] });

const { checks: _, ...WITHOUT_CHECKS } = REGISTERED_PERMISSIONS;
const READING = { ...REGISTERED_PERMISSIONS, contents: 'read' };
const DEAF = REGISTERED_EVENTS.filter((event) => event !== 'pull_request_review');

const NOW = Date.now();

function withLog(attempts: AppWebhook['attempts'], polls = true): Promise<readonly Finding[]> {
  const webhook = { url: 'https://bot.example.org/hooks', contentType: 'json', checksCertificate: true, attempts };
  return createWebhookProbe({ fetchWebhook: async () => webhook, path: '/hooks', polls, now: () => NOW }).run(never);
}

const withPolling = (attempts: AppWebhook['attempts']) => withLog(attempts);

/** A webhook to which GitHub delivered a minute apart, with these statuses. */
function withAnswers(statuses: readonly (number | string)[]): Promise<readonly Finding[]> {
  const attempts = statuses.toReversed().map((status, minutes) => ({
    ...{ guid: `${minutes}`, deliveredAt: NOW - minutes * 60_000, status: String(status) },
    statusCode: typeof status === 'number' ? status : 0,
  }));
  return withLog(attempts, false);
}

const EMPTY = { version: 0, newest: 9 };

const withDatabase = async (changes: Partial<DatabaseFacts>) =>
  databaseFindings({
    ...{ server: 'PostgreSQL 17.2', schema: { version: 9, newest: 9 }, isReadOnly: false, canMigrate: true },
    ...{ lockedTables: [], sharesConnections: false, ...changes },
  });

const withRoom = (room: MachineRoom) => createRoomProbe(() => room).run(never);

const withTime = (github: number | null) =>
  createClockProbe({ fetchTime: async () => github, now: () => 1_000_000 }).run(never);

const withProxy = (variables: Environment) => createProxyProbe(variables).run(never);

type Row = readonly [change: string, line: string, look: () => Promise<readonly Finding[]>];

/** One look, with different changes. */
function looking<Change>(
  look: (change: Change) => Promise<readonly Finding[]>,
  table: readonly (readonly [Change, string])[],
): readonly Row[] {
  return table.map(([change, line]) => [String(JSON.stringify(change)).slice(0, 60), line, () => look(change)]);
}

/** The line in doctor; `…` stands for any text, and its end may be missing. */
const FOUND: readonly Row[] = [
  ...looking(withSettings, [
    [{ PRIVATE_KEY: pem }, '✗ GitHub does not know the App …: Check that APP_ID and the private key belong'],
    [{ APP_ID: '99' }, '✗ GitHub does not know the App …: Check that APP_ID and the private key belong to the same'],
    [{ GHE_HOST: '127.0.0.1:65' }, '✗ GitHub cannot be asked …: Nothing listens there: correct the name and the port'],
    [{ GHE_HOST: 'x.invalid' }, '✗ GitHub cannot be asked …: Correct the name in GHE_HOST'],
    [{ GHE_PROTOCOL: 'https' }, '✗ GitHub cannot be asked …set GHE_PROTOCOL to http'],
    [{ OPENAI_BASE_URL: 'http://127.0.0.1:67' }, '✗ the model cannot be used …: Check OPENAI_BASE_URL, the'],
    [{}, '✗ the database cannot be used: …ECONNREFUSED…Check its address and credentials, and that it is running'],
    [{ DATABASE_URL: '', DATA_DIR: '/dev/null/x' }, '✗ the database cannot be used: DATA_DIR …no directory'],
    [{ DATABASE_URL: '', DATA_DIR: import.meta.filename }, '✗ the database cannot be used: DATA_DIR cannot be made, '],
  ]),
  ...looking(withRefusedKey, [
    ["'Issued at' claim ('iat') must be an Integer", '✗ GitHub refuses the time of this machine …: Set the clock'],
    ["'Expiration time' claim ('exp') is too far in the future", '✗ GitHub refuses the time …: Set the clock'],
    ['Integration not found', '✗ GitHub does not know the App …: Check that APP_ID'],
  ]),
  ...looking(withApp, [
    [{ installations: [] }, '✗ the App is not installed (url https://github.com/new): Open the url and install it'],
    [{ permissions: READING }, '✗ the App does not ask for a permission …: Open the url, set “Contents” to “Read and'],
    [{ events: DEAF }, '✗ the App is not subscribed to an event …: Open the url, tick “Pull request review”'],
    [{ permissions: WITHOUT_CHECKS }, '⚠ the App asks for less than it can use (lacks checks: write…open the url'],
    [{}, '✓ the App has all it needs on GitHub (installations 1)'],
  ]),
  ...looking(withInstallation, [
    [{ isSuspended: true }, '✗ the App serves no account …(suspended acme https…An owner of each account'],
    [{ account: 'team' }, '✗ the App serves no account that … (leftOut team https…Add each account …to ALLOWED_OWNERS'],
    [{ permissions: READING }, '✗ installations lack a permission (permission contents: write, acc…“Review request”'],
    [{ events: DEAF }, '✗ installations lack an event (event pull_request_review, acc…“Review request”'],
    [{ permissions: WITHOUT_CHECKS }, '⚠ installations grant less than the App can use (lacks checks: write, acc'],
  ]),
  ...looking(withHook, [
    [{ url: 'https://countersign.invalid/' }, '✗ the webhook leads nowhere …: Set POLL=5s, or enter the address'],
    [{ content_type: 'form' }, '✗ the webhook has a content type that is not read …application/json'],
    [{ insecure_ssl: '1' }, '⚠ the webhook checks no certificate …: Turn on “SSL verification”'],
    [{ url: 'https://bot.example.org/' }, '⚠ the webhook has another path than this server …or set WEBHOOK_PATH'],
    [{}, '✓ the webhook is set (url https://countersign.example/api/github/webhooks)'],
  ]),
  ...looking(withAnswers, [
    [[200, 401], '⚠ GitHub could not deliver webhooks (cause 401, count 1, of 2, arrivedSince 0): Enter'],
    [[401, 401, 202], '⚠ GitHub could not deliver webhooks (…count 2, of 3, arrivedSince 1): Nothing, unless'],
    [[404], '⚠ GitHub could not deliver webhooks …: End the webhook URL'],
    [[400], '⚠ GitHub could not deliver webhooks …let the proxy pass on all headers'],
    [[413], '⚠ GitHub could not deliver webhooks …bodies of up to 25 MiB'],
    [[301], '⚠ GitHub could not deliver webhooks …the address that the webhook URL redirects to'],
    [[403], '⚠ GitHub could not deliver webhooks …: Look at the proxy before this server'],
    [[503], '⚠ GitHub could not deliver webhooks …: Look at this server’s log, its database'],
    [['timed out'], '⚠ GitHub could not deliver webhooks (cause timed out…: GitHub does not reach this server…POLL=5s'],
    [[202], '✓ the webhook is set'],
  ]),
  ...looking(withPolling, [
    [null, '✗ GitHub shows no log of deliveries: Unset POLL'],
    [[], '✓ GitHub shows its log of deliveries'],
  ]),
  ...looking(withModel, [
    [refusal(401, 'Incorrect API key'), '✗ the model cannot be used (…failure key-rejected…: Check OPENAI_API_KEY.'],
    [refusal(404, 'No model `x`', 'model_not_found'), '✗ the model cannot be used …: Check OPENAI_MODEL.'],
    [refusal(400, 'tools are not supported'), '✗ the model cannot be used …to a model that can call tools'],
    [refusal(429, 'No money', 'insufficient_quota'), '✗ the model cannot be used …: Check the account and its limits'],
    [{ fault: 'web-page' }, '✗ the model cannot be used …: Check OPENAI_BASE_URL, which leads to a web page'],
  ]),
  ...looking(withDatabase, [
    [{ isReadOnly: true }, '✗ the database is read-only …: Use the address of the primary server'],
    [{ lockedTables: ['inbox'] }, '✗ the role of the database lacks rights (tables inbox): Let the role own'],
    [{ schema: { version: 10, newest: 9 } }, '✗ the database belongs to a newer version …: Run that version again'],
    [{ canMigrate: false }, '⚠ the role cannot create tables …: Let the role own the database'],
    [{ canMigrate: false, schema: EMPTY }, '✗ the role cannot create tables …: Let the role own the database'],
    [{ sharesConnections: true }, '✗ a pooler shares connections between transactions …a pooler in session mode'],
    [{}, '✓ the database can be used (server PostgreSQL 17.2, schema 9)'],
    [{ schema: EMPTY }, '✓ the database can be used'],
  ]),
  ...looking(withRoom, [
    [{ diskMb: 900, memoryMb: 4_000 }, '⚠ the disk of DATA_DIR is nearly full (diskMb 900): Make room on it'],
    [{ diskMb: 90, memoryMb: 4_000 }, '✗ the disk of DATA_DIR is nearly full (diskMb 90): Make room on it'],
    [{ diskMb: null, memoryMb: 300 }, '⚠ little memory is left (memoryMb 300): Give the server 512 MB'],
    [{ diskMb: 9_000, memoryMb: 4_000 }, '✓ the machine has room'],
  ]),
  ...looking(withTime, [
    [1_090_000, '⚠ the clock differs from GitHub’s (seconds -90): Set the clock of this machine'],
    [910_000, '⚠ the clock differs from GitHub’s (seconds 90): Set the clock of this machine'],
    [1_029_000, '✓ the clock agrees with GitHub’s'],
    [null, '✓ the clock agrees with GitHub’s'],
  ]),
  ...looking(withProxy, [
    [{ HTTPS_PROXY: 'http://x:1' }, '⚠ the proxy is not used (variable HTTPS_PROXY): Set NODE_USE_ENV_PROXY=1'],
    [{ https_proxy: 'http://x:1', NODE_USE_ENV_PROXY: '1' }, '✓ requests go through the proxy'],
  ]),
];

const lineOf = (finding: Finding): string => render({ ...finding, probe: '' });

describe('a broken installation', () => {
  it.each(FOUND)('%s is one line in doctor, in the log and on the page at /: %s (O4, O30)', async (_, line, look) => {
    const findings = await look();
    const pattern = line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*');
    const [finding, ...more] = findings.filter((one) => new RegExp(`^${pattern}`).test(lineOf(one)));
    if (finding === undefined) throw new Error(`only found:\n${findings.map(lineOf).join('')}`);
    expect(more).toEqual([]);
    const { level, message, fix } = finding;
    expect(pageOf(findings)).toContain(`<li>${line.charAt(0)} ${escapeHtml(message)}</li>`);
    expect(await logOf(findings)).toContainEqual(level === 'ok' ? ['info', message] : ['warn', message, fix]);
  });
});

function pageOf(findings: readonly Finding[]): string {
  return renderStatusPage({
    ...{ version: '1', app: null, readiness: { isReady: true, words: [] }, hears: 'webhooks' },
    ...{ isPaused: false, upMs: 0, waiting: null, probes: [{ name: '', findings }] },
  });
}

/** Level, message and fix of each line that a server logs about its findings. */
async function logOf(findings: readonly Finding[]): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  const clock = { now: () => 0, every: () => () => {} };
  const log = {
    info: (_: object, message: string) => void lines.push(['info', message]),
    warn: (fields: Readonly<Record<string, unknown>>, message: string) =>
      void lines.push(['warn', message, fields['fix']]),
  };
  const loop = startProbes([{ name: '', run: async () => findings }], { clock, log });
  while (loop.isBusy()) await new Promise(setImmediate);
  return lines;
}
