import process from 'node:process';
import { type ZodError, z } from 'zod';
import {
  findSecretWeakness,
  type KeyFile,
  listWarnings,
  type PrivateKeyResult,
  type ReadMode,
  readKeyFile,
  readMode,
  readPrivateKey,
} from './keys.ts';

/** The accounts that the App serves: only its own account, all accounts, or these logins (in lower case). */
type AllowedOwners =
  | { readonly kind: 'own' }
  | { readonly kind: 'all' }
  | { readonly kind: 'listed'; readonly logins: readonly string[] };

type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

type LogFormat = 'json' | 'pretty';

/** The validated configuration of the server. */
export type Config = {
  readonly app: {
    readonly id: number;
    /** PEM of an RSA key. */
    readonly privateKey: string;
    /** The current secret first. During a rotation, the previous secret is accepted too. */
    readonly webhookSecrets: readonly [string, ...string[]];
  };
  readonly github: {
    /** `github.com`, or the host and port of another server. */
    readonly host: string;
    readonly protocol: 'http' | 'https';
  };
  readonly http: { readonly port: number; readonly host: string; readonly webhookPath: string };
  readonly model: { readonly name: string; readonly apiKey: string | null; readonly baseUrl: string | null };
  readonly allowedOwners: AllowedOwners;
  /** The server stores deliveries and does nothing else. */
  readonly paused: boolean;
  /** If `url` is null, the embedded database in `dataDir` is used. */
  readonly database: { readonly url: string | null; readonly dataDir: string };
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
};

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
 * Reads the configuration from the environment of the process; no other file reads it. `overrides` take precedence, and
 * an empty override unsets a variable, so that the demo does not use the operator's credentials.
 */
export function loadConfig(overrides: Environment = {}): ConfigResult {
  return parseEnvironment({ ...process.env, ...overrides }, readKeyFile, readMode);
}

/**
 * Parses the variables into a configuration, or returns all problems. `readKeyFile` reads PRIVATE_KEY_PATH and can
 * throw; `mode` reads the mode of DATA_DIR.
 */
export function parseEnvironment(
  environment: Environment,
  readKeyFile: (path: string) => KeyFile,
  mode: ReadMode = () => null,
): ConfigResult {
  const values = withoutEmptyValues(environment);
  const key = readPrivateKey(values['PRIVATE_KEY'], values['PRIVATE_KEY_PATH'], readKeyFile);
  const parsed = environmentSchema.safeParse(values);
  const ownProblems = parsed.success ? [] : toProblems(parsed.error);
  const problems = [...ownProblems, ...combinationProblems(values, key)];
  if (problems.length > 0 || !parsed.success || key.kind === 'problem') return { kind: 'problems', problems };
  const config = toConfig(parsed.data, key.pem);
  const warnings = [...(key.warning === null ? [] : [key.warning]), ...listWarnings(config, mode)];
  return { kind: 'config', config, warnings };
}

/** Reads only the database configuration from the environment. */
export function loadDatabaseConfig(): DatabaseConfigResult {
  return parseDatabaseConfig(process.env);
}

/** Values that the log must mask. */
export function listSecrets({ app, model }: Config): readonly string[] {
  return [app.privateKey, ...app.webhookSecrets, ...(model.apiKey === null ? [] : [model.apiKey])];
}

/** Returns whether the App serves an account. `ownOwner` is the login of the App's own account. */
export function createOwnerCheck(allowed: AllowedOwners, ownOwner: string): (owner: string) => boolean {
  switch (allowed.kind) {
    case 'all':
      return () => true;
    case 'own':
      return (owner) => owner.toLowerCase() === ownOwner.toLowerCase();
    case 'listed':
      return (owner) => allowed.logins.includes(owner.toLowerCase());
  }
}

/** Paths of other routes, which the webhook cannot use. */
const RESERVED_PATHS: readonly string[] = ['/healthz', '/readyz', '/metrics'];

function required(problem: string) {
  return z.string({ error: problem });
}

function webhookSecret() {
  return z.string().superRefine((value, context) => {
    const weakness = findSecretWeakness(value);
    if (weakness !== null)
      context.addIssue({
        code: 'custom',
        message: `${weakness}: make one with "openssl rand -hex 32" and set it on both sides.`,
      });
  });
}

function isUrl(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

function url(protocols: readonly string[], problem: string) {
  return z.string().refine((value) => isUrl(value, protocols), problem);
}

function oneOf<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return z.enum(choices, `must be one of ${choices.join(', ')}.`);
}

const POSTGRES_PROTOCOLS = ['postgres:', 'postgresql:'];

/** Without a name, PostgreSQL takes the user's name, and the tables land in a database that somebody else uses. */
function namesDatabase(value: string): boolean {
  return !isUrl(value, POSTGRES_PROTOCOLS) || /^\/[^/]/.test(new URL(value).pathname);
}

function isWebhookPath(value: string): boolean {
  return /^\/[\w\-./~]*$/.test(value) && !RESERVED_PATHS.includes(value);
}

function parseOwners(value: string): AllowedOwners {
  if (value === '*') return { kind: 'all' };
  return { kind: 'listed', logins: value.split(',').map((login) => login.trim().toLowerCase()) };
}

const PORT_PROBLEM = 'must be a number from 0 to 65535.';

const LOGINS_PATTERN = /^[a-z\d](?:[a-z\d_-]*[a-z\d])?(?:\s*,\s*[a-z\d](?:[a-z\d_-]*[a-z\d])?)*$/i;

/** The checks of single variables. A message follows the variable's name. */
const environmentSchema = z.object({
  APP_ID: required('is missing: it is the number on the page of your GitHub App ("App ID").').regex(
    /^[1-9]\d{0,14}$/,
    'must be the number on the page of your GitHub App ("App ID").',
  ),
  WEBHOOK_SECRET: required(
    'is missing: make one with "openssl rand -hex 32" and enter it on the page of your GitHub App too.',
  ).pipe(webhookSecret()),
  WEBHOOK_SECRET_OLD: webhookSecret().optional(),
  GHE_HOST: z
    .string()
    .regex(/^[\w.-]+(?::\d{1,5})?$/, 'must be a host name, without https:// and without a path.')
    .default('github.com'),
  GHE_PROTOCOL: oneOf(['https', 'http']).default('https'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, PORT_PROBLEM)
    .transform(Number)
    .refine((port) => port <= 65_535, PORT_PROBLEM)
    .default(3000),
  HOST: z.string().default('0.0.0.0'),
  WEBHOOK_PATH: z
    .string()
    .refine(isWebhookPath, `must begin with "/", contain no query and be none of ${RESERVED_PATHS.join(', ')}.`)
    .default('/api/github/webhooks'),
  OPENAI_MODEL: required('is missing: set it to the name of the model that your endpoint serves.'),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: url(['http:', 'https:'], 'must be an http:// or https:// address.').optional(),
  ALLOWED_OWNERS: z
    .string()
    .refine(
      (value) => value === '*' || LOGINS_PATTERN.test(value),
      'must be account names separated by commas, or "*" for all.',
    )
    .transform(parseOwners)
    .default({ kind: 'own' }),
  CONFIG_FILE: z
    .undefined('is not supported in this version: unset it; no setting of that file would take effect.')
    .optional(),
  PAUSED: oneOf(['1', '0'])
    .transform((value) => value === '1')
    .default(false),
  DATABASE_URL: url(POSTGRES_PROTOCOLS, 'must be a postgres:// address.')
    .refine(namesDatabase, 'must end with the name of a database, as in postgres://user@host/countersign.')
    .optional(),
  DATA_DIR: z.string().default('./data'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FORMAT: oneOf(['json', 'pretty']).default('json'),
  PRIVATE_KEY: z.string().optional(),
  PRIVATE_KEY_PATH: z.string().optional(),
});

type EnvironmentValues = z.output<typeof environmentSchema>;

const MISSING_MODEL_KEY =
  'OPENAI_API_KEY is missing: set it, or set OPENAI_BASE_URL to an endpoint of your own that needs none.';

/** Removes empty values, because container platforms pass unset variables as empty strings. */
function withoutEmptyValues(environment: Environment): Environment {
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== '');
  return Object.fromEntries(set.map(([name, value]) => [name, value?.trim()]));
}

function toConfig(values: EnvironmentValues, privateKey: string): Config {
  const previousSecret = values.WEBHOOK_SECRET_OLD;
  return {
    app: {
      id: Number(values.APP_ID),
      privateKey,
      webhookSecrets: previousSecret === undefined ? [values.WEBHOOK_SECRET] : [values.WEBHOOK_SECRET, previousSecret],
    },
    github: { host: values.GHE_HOST, protocol: values.GHE_PROTOCOL },
    http: { port: values.PORT, host: values.HOST, webhookPath: values.WEBHOOK_PATH },
    model: {
      name: values.OPENAI_MODEL,
      apiKey: values.OPENAI_API_KEY ?? null,
      baseUrl: values.OPENAI_BASE_URL ?? null,
    },
    allowedOwners: values.ALLOWED_OWNERS,
    paused: values.PAUSED,
    database: { url: values.DATABASE_URL ?? null, dataDir: values.DATA_DIR },
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT },
  };
}

function toProblems({ issues }: ZodError): readonly string[] {
  return issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
}

function combinationProblems(environment: Environment, key: PrivateKeyResult): readonly string[] {
  const noModelKey = environment['OPENAI_API_KEY'] === undefined && environment['OPENAI_BASE_URL'] === undefined;
  return [...(key.kind === 'problem' ? [key.problem] : []), ...(noModelKey ? [MISSING_MODEL_KEY] : [])];
}

const databaseVariables = environmentSchema.pick({ DATABASE_URL: true, DATA_DIR: true });

function parseDatabaseConfig(environment: Environment): DatabaseConfigResult {
  const parsed = databaseVariables.safeParse(withoutEmptyValues(environment));
  if (!parsed.success) return { kind: 'problems', problems: toProblems(parsed.error) };
  return { kind: 'database', database: { url: parsed.data.DATABASE_URL ?? null, dataDir: parsed.data.DATA_DIR } };
}
