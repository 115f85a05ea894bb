import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { parseEnv } from 'node:util';
import { type ZodError, z } from 'zod';
import { findDatabaseUrlProblem } from './database-url.ts';
import {
  findModelKeyProblem,
  findSecretWeakness,
  type KeyFile,
  type PrivateKeyResult,
  readKeyFile,
  readPrivateKey,
} from './keys.ts';
import { loadOperatorConfig, type OperatorConfig } from './operator-settings.ts';
import { listMisspelt, listWarnings, type ReadMode, readMode } from './warnings.ts';

/** The accounts that the App serves: only its own account, all accounts, or these logins. */
type AllowedOwners = 'own' | 'all' | readonly string[];

/** The validated configuration of the server. */
export type Config = ReturnType<typeof toConfig>;

/** Environment variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type ConfigResult =
  | { readonly kind: 'config'; readonly config: Config; readonly warnings: readonly string[] }
  /** One line per problem, with the next step and without secrets. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** The configuration of commands that use only the database. */
type DatabaseConfigResult =
  | { readonly kind: 'database'; readonly database: Config['database'] }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/**
 * Reads the configuration from the environment of the process and from `.env` in the working directory; no other file
 * reads them. `overrides` take precedence, and an empty override unsets a variable, so that the demo does not use the
 * operator's credentials.
 */
export function loadConfig(overrides: Environment = {}): ConfigResult {
  return parseEnvironment({ ...ownEnvironment(), ...overrides }, readKeyFile, readMode);
}

/** The variables of the process, and those of `.env` that it does not have. A person reads the log on a terminal. */
function ownEnvironment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return { ...(process.stdout.isTTY ? { LOG_FORMAT: 'pretty' } : {}), ...file, ...process.env };
}

/**
 * Parses the variables and CONFIG_FILE into a configuration, or returns all problems. `readKeyFile` reads
 * PRIVATE_KEY_PATH and can throw; `mode` reads the mode of DATA_DIR.
 */
export function parseEnvironment(
  environment: Environment,
  readKeyFile: (path: string) => KeyFile,
  mode: ReadMode = () => null,
): ConfigResult {
  const given = withoutEmptyValues(environment);
  const values: Environment = { ...given, APP_ID: given['APP_ID'] ?? given['CLIENT_ID'] };
  const misspelt = listMisspelt(given, Object.keys(environmentSchema.shape));
  const key = readPrivateKey(values['PRIVATE_KEY'], values['PRIVATE_KEY_PATH'], readKeyFile);
  const parsed = environmentSchema.safeParse(values);
  const ownProblems = parsed.success ? [] : toProblems(parsed.error);
  const operator = loadOperatorConfig(values['CONFIG_FILE'], values['OPENAI_MODEL'] ?? null);
  const operatorProblems = operator.kind === 'problems' ? operator.problems : [];
  const problems = [...ownProblems, ...combinationProblems(values, key), ...operatorProblems];
  if (problems.length > 0 || !parsed.success || key.kind === 'problem' || operator.kind === 'problems')
    return { kind: 'problems', problems: [...problems, ...misspelt] };
  const config = toConfig(parsed.data, key.pem, operator.config);
  const own = key.warning === null ? [] : [key.warning];
  const warnings = [...own, ...misspelt, ...listWarnings(config, mode)];
  return { kind: 'config', config, warnings };
}

/** The environment of the process, for a program that it starts. */
export function readEnvironment(): Environment {
  return process.env;
}

/** Reads only the database configuration from the environment. */
export function loadDatabaseConfig(): DatabaseConfigResult {
  const parsed = databaseVariables.safeParse(withoutEmptyValues(ownEnvironment()));
  if (!parsed.success) return { kind: 'problems', problems: toProblems(parsed.error) };
  return { kind: 'database', database: { url: parsed.data.DATABASE_URL ?? null, dataDir: parsed.data.DATA_DIR } };
}

/** Values that the log must mask. */
export function listSecrets({ app, model }: Config): readonly string[] {
  return [app.privateKey, ...app.webhookSecrets, ...(model.apiKey === null ? [] : [model.apiKey])];
}

/** Returns whether the App serves an account. `ownOwner` is the login of the App's own account. */
export function createOwnerCheck(allowed: AllowedOwners, ownOwner: string): (owner: string) => boolean {
  if (allowed === 'all') return () => true;
  const served = (allowed === 'own' ? [ownOwner] : allowed).map((login) => login.toLowerCase());
  return (owner) => served.includes(owner.toLowerCase());
}

/** The accounts that the App serves, for people. */
export function describeOwners(allowed: AllowedOwners, ownOwner: string): string {
  if (allowed === 'own') return ownOwner;
  return allowed === 'all' ? allowed : allowed.join(', ');
}

/** Paths of other routes, which the webhook cannot use. */
const RESERVED_PATHS: readonly string[] = ['/healthz', '/readyz', '/metrics'];

function required(problem: string) {
  return z.string({ error: problem });
}

/** A text in which `find` finds no problem. */
function checked(find: (value: string) => string | null) {
  return z.string().superRefine((value, context) => {
    const message = find(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
}

function webhookSecret() {
  return checked((value) => {
    const weakness = findSecretWeakness(value);
    return weakness === null ? null : `${weakness}: make one with "openssl rand -hex 32" and set it on both sides.`;
  });
}

/** Never quotes the address, which can have a password. */
function findBaseUrlProblem(value: string): string | null {
  const url = URL.parse(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'must be an http:// or https:// address.';
  // `fetch` refuses such an address, so that no request would leave.
  if (url.username !== '' || url.password !== '')
    return 'must have no user and no password: set OPENAI_API_KEY to the key of the endpoint.';
  return null;
}

function oneOf<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return z.enum(choices, `must be one of ${choices.join(', ')}.`);
}

/** A whole number within these bounds. */
function wholeNumber(min: number, max: number, unit: string) {
  const problem = `must be a whole number of ${unit} from ${min} to ${max}.`;
  return z
    .string()
    .regex(/^\d{1,9}$/, problem)
    .transform(Number)
    .refine((value) => value >= min && value <= max, problem);
}

/** Seconds for a whole answer of the model. */
const DEFAULT_MODEL_TIMEOUT = 900;

const TEMPERATURE_PROBLEM = 'must be a number from 0 to 2.';

function isWebhookPath(value: string): boolean {
  return /^\/[\w\-./~]*$/.test(value) && !RESERVED_PATHS.includes(value);
}

function parseOwners(value: string): AllowedOwners {
  return value === '*' ? 'all' : value.split(',').map((login) => login.trim().toLowerCase());
}

const PORT_PROBLEM = 'must be a number from 0 to 65535.';

/** A look every five seconds takes 720 of the 5,000 requests that GitHub allows an App in an hour. */
const POLL_PROBLEM = 'must be a time from 5s to 5m, such as 5s.';

const LOGINS_PATTERN = /^[a-z\d](?:[a-z\d_-]*[a-z\d])?(?:\s*,\s*[a-z\d](?:[a-z\d_-]*[a-z\d])?)*$/i;

/** Names of GitHub's cloud from which no address of its API can be made. */
const MISTAKEN_GITHUB_HOST =
  /^(?:(?:api|www)\.github\.com(?::\d+)?|github\.com:\d+|api\.[^.]+\.ghe\.com(?::\d+)?|[^.]+\.ghe\.com:\d+)$/;

const GITHUB_HOST_PROBLEM =
  'must be the host of the pages, github.com or as in acme.ghe.com, without "api." or "www." before it and without a port.';

/** The checks of single variables. A message follows the variable's name. */
const environmentSchema = z.object({
  APP_ID: required('is missing: it is the number on the page of your GitHub App ("App ID").').regex(
    /^(?:[1-9]\d{0,14}|Iv\d[\w.]{5,40})$/,
    'must be the number on the page of your GitHub App ("App ID"), or its Client ID.',
  ),
  WEBHOOK_SECRET: required(
    'is missing: make one with "openssl rand -hex 32" and enter it on the page of your GitHub App too.',
  ).pipe(webhookSecret()),
  WEBHOOK_SECRET_OLD: webhookSecret().optional(),
  GHE_HOST: z
    .string()
    .regex(/^[\w.-]+(?::\d{1,5})?$/, 'must be a host name, without https:// and without a path.')
    .refine((host) => URL.canParse(`https://${host}`), 'must be a host name, and its port at most 65535.')
    .toLowerCase()
    .refine((host) => !MISTAKEN_GITHUB_HOST.test(host), GITHUB_HOST_PROBLEM)
    .default('github.com'),
  GHE_PROTOCOL: oneOf(['https', 'http']).default('https'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, PORT_PROBLEM)
    .transform(Number)
    .refine((port) => port <= 65_535, PORT_PROBLEM)
    .default(3000),
  HOST: z
    .string()
    .transform((host) => host.replace(/^\[(.+)\]$/, '$1'))
    .default('0.0.0.0'),
  WEBHOOK_PATH: z
    .string()
    .refine(isWebhookPath, `must begin with "/", contain no query and be none of ${RESERVED_PATHS.join(', ')}.`)
    .refine((path) => path === '/' || !path.endsWith('/'), 'must not end with "/", nor must the webhook URL on GitHub.')
    .default('/api/github/webhooks'),
  OPENAI_MODEL: required('is missing: set it to the name of the model that your endpoint serves.'),
  OPENAI_API_KEY: checked(findModelKeyProblem).optional(),
  OPENAI_BASE_URL: checked(findBaseUrlProblem).optional(),
  OPENAI_API: oneOf(['responses', 'chat']).optional(),
  // The HTTP client of Node ends silence of five minutes by itself.
  MODEL_IDLE_TIMEOUT: wholeNumber(1, 300, 'seconds').default(90),
  MODEL_TIMEOUT: wholeNumber(1, 3_600, 'seconds').default(DEFAULT_MODEL_TIMEOUT),
  MODEL_MAX_OUTPUT_TOKENS: wholeNumber(1, 1_000_000, 'tokens').optional(),
  MODEL_CONTEXT_TOKENS: wholeNumber(1_000, 100_000_000, 'tokens').optional(),
  MODEL_REASONING_EFFORT: z
    .string()
    .regex(/^[a-z]{1,20}$/, 'must be one lowercase word that the model knows, such as low, medium or high.')
    .optional(),
  MODEL_TEMPERATURE: z
    .string()
    .regex(/^\d(?:\.\d{1,3})?$/, TEMPERATURE_PROBLEM)
    .transform(Number)
    .refine((value) => value <= 2, TEMPERATURE_PROBLEM)
    .optional(),
  ALLOWED_OWNERS: z
    .string()
    .refine(
      (value) => value === '*' || LOGINS_PATTERN.test(value),
      'must be account names separated by commas, or "*" for all.',
    )
    .transform(parseOwners)
    .default('own'),
  CONFIG_FILE: z.string().optional(),
  PAUSED: oneOf(['1', '0'])
    .transform((value) => value === '1')
    .default(false),
  POLL: z
    .string()
    .regex(/^\d{1,3}[sm]$/, POLL_PROBLEM)
    .transform((text) => Number.parseInt(text, 10) * (text.endsWith('m') ? 60_000 : 1_000))
    .refine((ms) => ms >= 5_000 && ms <= 300_000, POLL_PROBLEM)
    .optional(),
  DATABASE_URL: checked(findDatabaseUrlProblem).optional(),
  DATA_DIR: z.string().default('./data'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FORMAT: oneOf(['json', 'pretty']).default('json'),
  PRIVATE_KEY: z.string().optional(),
  PRIVATE_KEY_PATH: z.string().optional(),
});

const MISSING_MODEL_KEY =
  'OPENAI_API_KEY is missing: set it, or set OPENAI_BASE_URL to an endpoint of your own that needs none.';

/** Removes empty values, because container platforms pass unset variables as empty strings. */
function withoutEmptyValues(environment: Environment): Environment {
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== '');
  return Object.fromEntries(set.map(([name, value]) => [name, value?.trim()]));
}

function toConfig(values: z.output<typeof environmentSchema>, privateKey: string, operator: OperatorConfig) {
  const { WEBHOOK_SECRET: secret, WEBHOOK_SECRET_OLD: previousSecret } = values;
  const webhookSecrets: readonly [string, ...string[]] =
    previousSecret === undefined ? [secret] : [secret, previousSecret];
  return {
    app: {
      /** Its number, or its Client ID. */
      id: /^\d+$/.test(values.APP_ID) ? Number(values.APP_ID) : values.APP_ID,
      /** PEM of an RSA key. */
      privateKey,
      /** The current secret first. During a rotation, the previous secret is accepted too. */
      webhookSecrets,
    },
    /** In lower case: `github.com`, a subdomain of `ghe.com`, or the host and port of another server. */
    github: { host: values.GHE_HOST, protocol: values.GHE_PROTOCOL },
    http: { port: values.PORT, host: values.HOST, webhookPath: values.WEBHOOK_PATH },
    model: {
      name: values.OPENAI_MODEL,
      apiKey: values.OPENAI_API_KEY ?? null,
      baseUrl: values.OPENAI_BASE_URL ?? null,
      /** Null: as suits the endpoint. */
      api: values.OPENAI_API ?? null,
      /** Sent only where set. */
      parameters: {
        maxOutputTokens: values.MODEL_MAX_OUTPUT_TOKENS ?? null,
        reasoningEffort: values.MODEL_REASONING_EFFORT ?? null,
        temperature: values.MODEL_TEMPERATURE ?? null,
      },
      /** Tokens that the model reads and writes at most; null: as the endpoint says. */
      contextTokens: values.MODEL_CONTEXT_TOKENS ?? null,
      limits: { timeoutMs: values.MODEL_TIMEOUT * 1000, idleTimeoutMs: values.MODEL_IDLE_TIMEOUT * 1000 },
    },
    allowedOwners: values.ALLOWED_OWNERS,
    /** As of the start; a running server reads the file again on SIGHUP. */
    operator,
    /** Time (ms) between two looks at GitHub's delivery log; null where webhooks reach the server. */
    pollMs: values.POLL ?? null,
    /** The server stores deliveries and does nothing else. */
    paused: values.PAUSED,
    /** If `url` is null, the embedded database in `dataDir` is used. */
    database: { url: values.DATABASE_URL ?? null, dataDir: values.DATA_DIR },
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT },
  } as const;
}

function toProblems({ issues }: ZodError): readonly string[] {
  return issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
}

function combinationProblems(environment: Environment, key: PrivateKeyResult): readonly string[] {
  const noModelKey = environment['OPENAI_API_KEY'] === undefined && environment['OPENAI_BASE_URL'] === undefined;
  return [
    ...(key.kind === 'problem' ? [key.problem] : []),
    ...(noModelKey ? [MISSING_MODEL_KEY] : []),
    ...(isIdleLimitVoid(environment) ? [VOID_IDLE_LIMIT] : []),
  ];
}

const VOID_IDLE_LIMIT = 'MODEL_IDLE_TIMEOUT must not be longer than MODEL_TIMEOUT, which ends the whole answer.';

/** Only a value that the operator set is compared: a short MODEL_TIMEOUT needs no second variable. */
function isIdleLimitVoid({ MODEL_IDLE_TIMEOUT: idle, MODEL_TIMEOUT: whole }: Environment): boolean {
  return idle !== undefined && Number(idle) > Number(whole ?? DEFAULT_MODEL_TIMEOUT);
}

const databaseVariables = environmentSchema.pick({ DATABASE_URL: true, DATA_DIR: true });
