import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Environment, parseEnvironment } from '../../../../src/app/config/env.ts';
import { readKeyFile } from '../../../../src/app/config/keys.ts';
import { NO_OPERATOR_SETTINGS } from '../../../../src/core/settings/operator-file.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

const folder = scratchFolder();

const complete = {
  APP_ID: '7',
  PRIVATE_KEY: pem,
  WEBHOOK_SECRET: 'b2f1c09d7e6a4835',
  OPENAI_MODEL: 'some-model',
  OPENAI_API_KEY: 'key-of-the-model',
};

function problemsOf(changes: Environment): readonly string[] {
  const reading = parseEnvironment({ ...complete, ...changes }, readKeyFile);
  return reading.kind === 'problems' ? reading.problems : [];
}

function configOf(changes: Environment = {}) {
  const reading = parseEnvironment({ ...complete, ...changes }, readKeyFile);
  if (reading.kind === 'problems') throw new Error(reading.problems.join('\n'));
  return reading;
}

describe('environment', () => {
  it('uses the documented defaults', () => {
    expect(configOf()).toEqual({
      kind: 'config',
      warnings: [],
      config: {
        app: { id: 7, privateKey: pem.trim(), webhookSecrets: ['b2f1c09d7e6a4835'] },
        github: { host: 'github.com', protocol: 'https' },
        http: { port: 3000, host: '0.0.0.0', webhookPath: '/api/github/webhooks' },
        model: {
          name: 'some-model',
          apiKey: 'key-of-the-model',
          baseUrl: null,
          api: null,
          parameters: { maxOutputTokens: null, reasoningEffort: null, temperature: null },
          contextTokens: null,
          limits: { timeoutMs: 900_000, idleTimeoutMs: 90_000 },
        },
        allowedOwners: { kind: 'own' },
        operator: { path: null, settings: { ...NO_OPERATOR_SETTINGS, defaultModel: 'some-model' } },
        pollMs: null,
        paused: false,
        database: { url: null, dataDir: './data' },
        log: { level: 'info', format: 'json' },
      },
    });
  });

  it('reads every variable', () => {
    const { config } = configOf({
      WEBHOOK_SECRET_OLD: 'another-secret-of-before',
      GHE_HOST: '127.0.0.1:4010',
      GHE_PROTOCOL: 'http',
      PORT: '0',
      HOST: '127.0.0.1',
      WEBHOOK_PATH: '/',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
      OPENAI_API: 'responses',
      MODEL_IDLE_TIMEOUT: '30',
      MODEL_TIMEOUT: '120',
      MODEL_MAX_OUTPUT_TOKENS: '8000',
      MODEL_REASONING_EFFORT: 'low',
      MODEL_TEMPERATURE: '0.2',
      ALLOWED_OWNERS: 'Octo-Org, ana ,managed_user',
      PAUSED: '1',
      DATABASE_URL: 'postgres://somebody@localhost/countersign',
      DATA_DIR: '/data',
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'pretty',
    });
    expect(config).toMatchObject({
      app: { webhookSecrets: ['b2f1c09d7e6a4835', 'another-secret-of-before'] },
      github: { host: '127.0.0.1:4010', protocol: 'http' },
      http: { port: 0, host: '127.0.0.1', webhookPath: '/' },
      model: {
        baseUrl: 'http://127.0.0.1:9/v1',
        api: 'responses',
        parameters: { maxOutputTokens: 8_000, reasoningEffort: 'low', temperature: 0.2 },
        limits: { timeoutMs: 120_000, idleTimeoutMs: 30_000 },
      },
      allowedOwners: { kind: 'listed', logins: ['octo-org', 'ana', 'managed_user'] },
      paused: true,
      database: { url: 'postgres://somebody@localhost/countersign', dataDir: '/data' },
      log: { level: 'debug', format: 'pretty' },
    });
  });

  it.each([
    ['nothing', ''],
    ["Probot's built-in", 'development'],
    ['one from examples', 'Your-Webhook-Secret'],
    ['a short one', 'f3a9c1d07b2e584'],
    ['one character', 'aaaaaaaaaaaaaaaaaaaa'],
  ])('refuses %s as the webhook secret, without showing it (F1)', (_what, secret) => {
    const problems = problemsOf({ WEBHOOK_SECRET: secret });
    expect(problems).toEqual([expect.stringMatching(/^WEBHOOK_SECRET is .*openssl rand -hex 32/)]);
    if (secret !== '') expect(problems.join()).not.toContain(secret);
  });

  it('an old secret must be as strong as the new one (F1)', () => {
    expect(problemsOf({ WEBHOOK_SECRET_OLD: 'development' })).toEqual([
      expect.stringMatching(/^WEBHOOK_SECRET_OLD is a well-known example/),
    ]);
  });

  it.each<[string, (pem: string) => string]>([
    ['in quotes', (text) => `"${text}"`],
    ['in single quotes, with \\n', (text) => `'${text.replaceAll('\n', '\\n')}'`],
    ['with \\r\\n', (text) => text.replaceAll('\n', '\\r\\n')],
    ['with spaces for newlines', (text) => text.replaceAll('\n', ' ')],
    ['in one line', (text) => text.replaceAll('\n', '')],
    ['in base64', (text) => Buffer.from(text).toString('base64')],
  ])('reads PRIVATE_KEY %s (O2)', (_, change) => {
    const read = createPrivateKey(configOf({ PRIVATE_KEY: change(pem) }).config.app.privateKey);
    expect(read.equals(privateKey)).toBe(true);
  });

  it.each([
    [
      'an encrypted key',
      privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'canary' }).toString(),
      'is encrypted with a passphrase: decrypt it',
    ],
    [
      'an OpenSSH key',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n-----END OPENSSH PRIVATE KEY-----\n',
      'is an OpenSSH key, and the one that GitHub gave for the App is needed',
    ],
    ['a public key', publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'is public, and the private key is'],
    ['a file name', '/run/secrets/app.pem', 'is the name of a file: set PRIVATE_KEY_PATH'],
  ])('refuses %s with its own sentence (O2)', (_, PRIVATE_KEY, sentence) => {
    expect(problemsOf({ PRIVATE_KEY })).toEqual([expect.stringContaining(`PRIVATE_KEY ${sentence}`)]);
  });

  it.each(['Iv1.8a61f9b3a7aba766', 'Iv23liAbCdEfGhIjKlMn'])('O2: the Client ID %s works for the App ID', (id) => {
    expect(configOf({ APP_ID: '', CLIENT_ID: id }).config.app.id).toBe(id);
    expect(configOf({ APP_ID: id }).config.app.id).toBe(id);
    expect(configOf({ APP_ID: '7', CLIENT_ID: id }).config.app.id).toBe(7);
  });

  it('O2: a variable one or two letters away from one of ours is named, where ours is not set', () => {
    expect(configOf({ ALOWED_OWNERS: 'acme', HOSTNAME: 'pod-7', PATH: '/bin', TERM: 'xterm' }).warnings).toEqual([
      'ALOWED_OWNERS is no variable of Countersign: did you mean ALLOWED_OWNERS?',
    ]);
    expect(configOf({ ALOWED_OWNERS: 'acme', ALLOWED_OWNERS: 'acme' }).warnings).toEqual([]);
    expect(problemsOf({ OPENAI_MODEL: '', OPENAI_MODLE: 'some-model' })).toEqual([
      'OPENAI_MODEL is missing: set it to the name of the model that your endpoint serves.',
      'OPENAI_MODLE is no variable of Countersign: did you mean OPENAI_MODEL?',
    ]);
  });

  it.each([
    'postgres://me:canary#1@localhost/countersign',
    'postgres://me:1#canary@localhost/countersign',
    'postgres://me:canary/1@localhost/countersign',
    'postgres://me:1/canary@localhost/countersign',
    'postgres://me:canary?1@localhost/countersign',
    'postgres://me:100%canary@localhost/countersign',
  ])('%s has a character that must be escaped, and the sentence does not show the password (O9)', (DATABASE_URL) => {
    const problems = problemsOf({ DATABASE_URL });
    expect(problems).toEqual([expect.stringMatching(/^DATABASE_URL has a "#", .*: write %23, %2F, %3F, %40 or %25/)]);
    expect(problems.join()).not.toContain('canary');
  });

  it.each([
    'postgres://me:can%23ary%2F%25@localhost/countersign',
    'postgres://me:can@ary@localhost/countersign',
    'postgres://localhost/countersign?user=me%40x&application_name=a@b',
    'postgresql://me@[::1]:5433/countersign?sslmode=no-verify',
  ])('%s is a valid DATABASE_URL (O9)', (DATABASE_URL) => {
    expect(problemsOf({ DATABASE_URL })).toEqual([]);
  });

  it('a misspelt sslmode is refused, because the driver would use no encryption (O9)', () => {
    expect(problemsOf({ DATABASE_URL: 'postgres://me@db/x?sslmode=verify_full' })).toEqual([
      'DATABASE_URL has sslmode=verify_full, which must be one of disable, prefer, require, verify-ca, verify-full, no-verify.',
    ]);
  });

  it('refuses a key of another kind, and two keys', () => {
    const other = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(problemsOf({ PRIVATE_KEY: other })).toEqual([expect.stringMatching(/^PRIVATE_KEY is not an RSA key/)]);
    expect(problemsOf({ PRIVATE_KEY_PATH: '/x' })).toEqual([expect.stringMatching(/are both set/)]);
  });

  it('reads PRIVATE_KEY_PATH, and warns when others can read it too (I6)', () => {
    const path = join(folder, 'app.key');
    writeFileSync(path, pem, { mode: 0o600 });
    expect(configOf({ PRIVATE_KEY: '', PRIVATE_KEY_PATH: path })).toMatchObject({
      config: { app: { privateKey: pem } },
      warnings: [],
    });
    chmodSync(path, 0o644);
    expect(configOf({ PRIVATE_KEY: '', PRIVATE_KEY_PATH: path }).warnings).toEqual([
      'PRIVATE_KEY_PATH can be read by other users (mode 0644): chmod 600 it.',
    ]);
    expect(problemsOf({ PRIVATE_KEY: '', PRIVATE_KEY_PATH: join(folder, 'none') })).toEqual([
      expect.stringMatching(/^PRIVATE_KEY_PATH cannot be read/),
    ]);
  });

  it('a directory as PRIVATE_KEY_PATH, which Docker makes for a missing file, has its own sentence (O2, O9)', () => {
    expect(problemsOf({ PRIVATE_KEY: '', PRIVATE_KEY_PATH: folder })).toEqual([
      expect.stringContaining('(it is a directory; Docker makes one where the file of a mount is missing)'),
    ]);
  });

  it.each([
    ['typographic quotes', '“sk-canary-0123456789”', 'U+201C as character 1,'],
    ['an ellipsis, as pages shorten keys', 'sk-canary…789', 'U+2026 as character 10,'],
    ['a zero-width space', 'sk-canary\u200B0123456789', 'U+200B as character 10,'],
    ['a space', 'Bearer sk-canary', 'U+0020 as character 7,'],
  ])('refuses a model key with %s, which no request could send, and does not show it (O4)', (_, key, found) => {
    const problems = problemsOf({ OPENAI_API_KEY: key });
    expect(problems).toEqual([
      `OPENAI_API_KEY has ${found} which no key has: copy the whole key again, without quotation marks, spaces and line breaks.`,
    ]);
    expect(problems.join()).not.toContain('sk-can');
  });

  it.each(['https://canary@example.com/v1', 'https://me:canary@example.com/v1', 'https://:canary@example.com/v1'])(
    'refuses %s, to which no request could be sent, and does not show the password (O4)',
    (OPENAI_BASE_URL) => {
      expect(problemsOf({ OPENAI_BASE_URL })).toEqual([
        'OPENAI_BASE_URL must have no user and no password: set OPENAI_API_KEY to the key of the endpoint.',
      ]);
    },
  );

  it('an idle timeout beyond the whole timeout is refused, and a short whole timeout needs no second one (S163)', () => {
    expect(problemsOf({ MODEL_TIMEOUT: '60', MODEL_IDLE_TIMEOUT: '61' })).toEqual([
      'MODEL_IDLE_TIMEOUT must not be longer than MODEL_TIMEOUT, which ends the whole answer.',
    ]);
    expect(configOf({ MODEL_TIMEOUT: '60' }).config.model.limits.timeoutMs).toBe(60_000);
  });

  it.each([
    ['APP_ID', 'seven'],
    ['OPENAI_API', 'completions'],
    ['GHE_HOST', 'https://ghe.example.com/api'],
    ['GHE_HOST', 'ghe.example.com:99999'],
    ['GHE_HOST', 'API.github.com'],
    ['GHE_HOST', 'github.com:443'],
    ['GHE_HOST', 'api.acme.ghe.com'],
    ['GHE_PROTOCOL', 'ftp'],
    ['PORT', '65536'],
    ['WEBHOOK_PATH', 'hooks'],
    ['WEBHOOK_PATH', '/readyz'],
    ['WEBHOOK_PATH', '/hooks/'],
    ['OPENAI_BASE_URL', 'file:///etc/passwd'],
    ['MODEL_IDLE_TIMEOUT', '0'],
    ['MODEL_IDLE_TIMEOUT', '301'],
    ['MODEL_TIMEOUT', '15m'],
    ['MODEL_MAX_OUTPUT_TOKENS', '1e3'],
    ['MODEL_REASONING_EFFORT', 'very high'],
    ['MODEL_TEMPERATURE', '2.5'],
    ['ALLOWED_OWNERS', 'a,,b'],
    ['PAUSED', 'yes'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'postgres://me@localhost'],
    ['DATABASE_URL', 'postgres://me@localhost/?sslmode=require'],
    ['CONFIG_FILE', './countersign.yml'],
    ['LOG_FORMAT', 'xml'],
  ])('refuses %s=%s and names it', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} `))]);
  });

  it.each([
    ['GitHub.com', 'github.com'],
    ['acme.GHE.com', 'acme.ghe.com'],
    ['GHE.example.com:8443', 'ghe.example.com:8443'],
    ['github.company.com', 'github.company.com'],
    ['api.example.com', 'api.example.com'],
  ])('takes GHE_HOST=%s as %s', (GHE_HOST, host) => {
    expect(configOf({ GHE_HOST }).config.github.host).toBe(host);
  });
});

describe('warnings', () => {
  function warningsOf(changes: Environment, mode: (path: string) => number | null = () => null): readonly string[] {
    const reading = parseEnvironment({ ...complete, ...changes }, readKeyFile, mode);
    return reading.kind === 'config' ? reading.warnings : reading.problems;
  }

  it.each([
    [0o40755, ['DATA_DIR can be accessed by other users (mode 0755): chmod 700 it.']],
    [0o42770, ['DATA_DIR can be accessed by other users (mode 0770): chmod 700 it.']],
    [0o40701, ['DATA_DIR can be accessed by other users (mode 0701): chmod 700 it.']],
    [0o40700, []],
    [null, []],
  ])('a data directory of mode %o that others can enter is warned of (X3)', (mode, warnings) => {
    const asked: string[] = [];
    const modeOf = (path: string): number | null => {
      asked.push(path);
      return mode;
    };
    expect(warningsOf({ DATA_DIR: '/srv/data' }, modeOf)).toEqual(warnings);
    expect(asked).toEqual(['/srv/data']);
  });

  it('a database in DATA_DIR that DATABASE_URL leaves unused is warned of, because its runs seem lost (O9)', () => {
    const modeOf = (path: string) => (path === '/srv/data/database/PG_VERSION' ? 0o100600 : null);
    const both = { DATABASE_URL: 'postgres://localhost/x', DATA_DIR: '/srv/data' };
    expect(warningsOf(both, modeOf)).toEqual([
      expect.stringMatching(/^DATA_DIR \(\/srv\/data\) has a database that is not used, because DATABASE_URL is set/),
    ]);
    expect(warningsOf({ DATA_DIR: '/srv/data' }, modeOf)).toEqual([]);
  });

  it('a server that is paused says so (O8)', () => {
    expect(warningsOf({ PAUSED: '1' })).toEqual([
      expect.stringMatching(/^PAUSED is 1: webhooks are stored, and nothing/),
    ]);
  });

  it.each([
    ['sslmode=require', 'require'],
    ['application_name=x&sslmode=prefer', 'prefer'],
    ['sslmode=verify-ca&sslrootcert=/ca.pem', 'verify-ca'],
    ['sslmode=verify-full', null],
    ['sslmode=no-verify', null],
    ['sslmode=require&uselibpqcompat=true', null],
    ['', null],
  ])('a database address with ?%s is told what that means here (O9)', (query, mode) => {
    const warnings = warningsOf({ DATABASE_URL: `postgres://me@db.example.com/x?${query}` });
    expect(
      warnings.map((text) => /^DATABASE_URL has sslmode=(\S+), which means verify-full here/.exec(text)?.[1]),
    ).toEqual(mode === null ? [] : [mode]);
  });

  it.each([
    ['http://models.example.com/v1', true],
    ['http://localhost.example.com/v1', true],
    ['https://models.example.com/v1', false],
    ['http://localhost:11434/v1', false],
    ['http://127.0.0.2:1/v1', false],
    ['http://[::1]:1/v1', false],
  ])('the endpoint %s over a network without encryption is warned of: %s (X12)', (OPENAI_BASE_URL, isWarned) => {
    const warning = 'OPENAI_BASE_URL is plain http to another host: code and the key travel unencrypted. Use https.';
    expect(warningsOf({ OPENAI_BASE_URL })).toEqual(isWarned ? [warning] : []);
  });

  it.each([
    [{ GHE_HOST: 'ghe.example.com', GHE_PROTOCOL: 'http' }, true],
    [{ GHE_HOST: 'ghe.example.com' }, false],
    [{ GHE_HOST: '127.0.0.1:4010', GHE_PROTOCOL: 'http' }, false],
    [{ GHE_PROTOCOL: 'http' }, false],
  ])('the server %o over a network without encryption is warned of: %s (X12)', (changes, isWarned) => {
    const warning = 'GHE_PROTOCOL is http: tokens and code travel to GHE_HOST unencrypted. Use https.';
    expect(warningsOf(changes)).toEqual(isWarned ? [warning] : []);
  });
});
