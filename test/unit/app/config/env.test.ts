import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Environment, parseEnvironment } from '../../../../src/app/config/env.ts';
import { readKeyFile } from '../../../../src/app/config/keys.ts';
import { NO_OPERATOR_SETTINGS } from '../../../../src/core/settings/operator-file.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

const complete = {
  APP_ID: '7',
  PRIVATE_KEY: pem,
  WEBHOOK_SECRET: 'b2f1c09d7e6a4835',
  OPENAI_MODEL: 'some-model',
  OPENAI_API_KEY: 'key-of-the-model',
};

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
        allowedOwners: 'own',
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
      allowedOwners: ['octo-org', 'ana', 'managed_user'],
      paused: true,
      database: { url: 'postgres://somebody@localhost/countersign', dataDir: '/data' },
      log: { level: 'debug', format: 'pretty' },
    });
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

  it.each(['Iv1.8a61f9b3a7aba766', 'Iv23liAbCdEfGhIjKlMn'])('O2: the Client ID %s works for the App ID', (id) => {
    expect(configOf({ APP_ID: '', CLIENT_ID: id }).config.app.id).toBe(id);
    expect(configOf({ APP_ID: id }).config.app.id).toBe(id);
    expect(configOf({ APP_ID: '7', CLIENT_ID: id }).config.app.id).toBe(7);
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
