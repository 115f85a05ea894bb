import type { ZodError } from 'zod';
import type { Config } from './config.ts';
import { type KeyFile, type KeyReading, readPrivateKey } from './private-key.ts';
import { type Variables, variables } from './variables.ts';

/** Environment variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type EnvironmentReading =
  | { readonly kind: 'config'; readonly config: Config; readonly warnings: readonly string[] }
  /** One line each, telling what to do; no line holds a secret. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Where the database is, for commands that need nothing else. */
export type DatabaseReading =
  | { readonly kind: 'database'; readonly database: Config['database'] }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

const NO_MODEL_KEY =
  'OPENAI_API_KEY is missing: set it, or set OPENAI_BASE_URL to an endpoint of your own that needs none.';

/** Container platforms pass unset variables as empty strings. */
function withoutBlanks(environment: Environment): Environment {
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== '');
  return Object.fromEntries(set.map(([name, value]) => [name, value?.trim()]));
}

function toConfig(values: Variables, privateKey: string): Config {
  const old = values.WEBHOOK_SECRET_OLD;
  return {
    app: {
      id: Number(values.APP_ID),
      privateKey,
      webhookSecrets: old === undefined ? [values.WEBHOOK_SECRET] : [values.WEBHOOK_SECRET, old],
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

function problemsOf({ issues }: ZodError): readonly string[] {
  return issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
}

function crossProblems(environment: Environment, key: KeyReading): readonly string[] {
  const noModelKey = environment['OPENAI_API_KEY'] === undefined && environment['OPENAI_BASE_URL'] === undefined;
  return [...(key.kind === 'problem' ? [key.problem] : []), ...(noModelKey ? [NO_MODEL_KEY] : [])];
}

/**
 * The configuration that these variables make, or every problem of theirs at once.
 * `readKeyFile` is asked for PRIVATE_KEY_PATH only and may throw.
 */
export function readEnvironment(environment: Environment, readKeyFile: (path: string) => KeyFile): EnvironmentReading {
  const given = withoutBlanks(environment);
  const key = readPrivateKey(given['PRIVATE_KEY'], given['PRIVATE_KEY_PATH'], readKeyFile);
  const parsed = variables.safeParse(given);
  const own = parsed.success ? [] : problemsOf(parsed.error);
  const problems = [...own, ...crossProblems(given, key)];
  if (problems.length > 0 || !parsed.success || key.kind === 'problem') return { kind: 'problems', problems };
  const warnings = key.warning === null ? [] : [key.warning];
  return { kind: 'config', config: toConfig(parsed.data, key.pem), warnings };
}

const databaseVariables = variables.pick({ DATABASE_URL: true, DATA_DIR: true });

/** The database that these variables name; whatever else they say is not looked at. */
export function readDatabase(environment: Environment): DatabaseReading {
  const parsed = databaseVariables.safeParse(withoutBlanks(environment));
  if (!parsed.success) return { kind: 'problems', problems: problemsOf(parsed.error) };
  return { kind: 'database', database: { url: parsed.data.DATABASE_URL ?? null, dataDir: parsed.data.DATA_DIR } };
}
