import { z } from 'zod';
import type { AllowedOwners } from './config.ts';
import { weakness } from './webhook-secret.ts';

/** Paths that the server answers itself; the webhook cannot live there. */
const TAKEN_PATHS: readonly string[] = ['/healthz', '/readyz', '/metrics'];

function required(problem: string) {
  return z.string({ error: problem });
}

function secret() {
  return z.string().superRefine((value, context) => {
    const why = weakness(value);
    if (why !== null)
      context.addIssue({
        code: 'custom',
        message: `${why}: make one with "openssl rand -hex 32" and set it on both sides.`,
      });
  });
}

function isUrl(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

function address(protocols: readonly string[], problem: string) {
  return z.string().refine((value) => isUrl(value, protocols), problem);
}

function oneOf<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return z.enum(choices, `must be one of ${choices.join(', ')}.`);
}

function isWebhookPath(value: string): boolean {
  return /^\/[\w\-./~]*$/.test(value) && !TAKEN_PATHS.includes(value);
}

function toOwners(value: string): AllowedOwners {
  if (value === '*') return { kind: 'everybody' };
  return { kind: 'listed', logins: value.split(',').map((login) => login.trim().toLowerCase()) };
}

const PORT = 'must be a number from 0 to 65535.';
const LOGINS = /^[a-z\d](?:[a-z\d_-]*[a-z\d])?(?:\s*,\s*[a-z\d](?:[a-z\d_-]*[a-z\d])?)*$/i;

/** One row for each variable that stands alone; a problem's text goes on behind the variable's name. */
export const variables = z.object({
  APP_ID: required('is missing: it is the number on the page of your GitHub App ("App ID").').regex(
    /^[1-9]\d{0,14}$/,
    'must be the number on the page of your GitHub App ("App ID").',
  ),
  WEBHOOK_SECRET: required(
    'is missing: make one with "openssl rand -hex 32" and enter it on the page of your GitHub App too.',
  ).pipe(secret()),
  WEBHOOK_SECRET_OLD: secret().optional(),
  GHE_HOST: z
    .string()
    .regex(/^[\w.-]+(?::\d{1,5})?$/, 'must be a host name, without https:// and without a path.')
    .default('github.com'),
  GHE_PROTOCOL: oneOf(['https', 'http']).default('https'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, PORT)
    .transform(Number)
    .refine((port) => port <= 65_535, PORT)
    .default(3000),
  HOST: z.string().default('0.0.0.0'),
  WEBHOOK_PATH: z
    .string()
    .refine(isWebhookPath, `must begin with "/", hold no query and be none of ${TAKEN_PATHS.join(', ')}.`)
    .default('/api/github/webhooks'),
  OPENAI_MODEL: required('is missing: set it to the name of the model that your endpoint serves.'),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: address(['http:', 'https:'], 'must be an http:// or https:// address.').optional(),
  ALLOWED_OWNERS: z
    .string()
    .refine(
      (value) => value === '*' || LOGINS.test(value),
      'must be account names separated by commas, or "*" for all.',
    )
    .transform(toOwners)
    .default({ kind: 'own' }),
  CONFIG_FILE: z
    .undefined('is not supported in this version: unset it; no setting of that file would take effect.')
    .optional(),
  PAUSED: oneOf(['1', '0'])
    .transform((value) => value === '1')
    .default(false),
  DATABASE_URL: address(['postgres:', 'postgresql:'], 'must be a postgres:// address.').optional(),
  DATA_DIR: z.string().default('./data'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FORMAT: oneOf(['json', 'pretty']).default('json'),
  PRIVATE_KEY: z.string().optional(),
  PRIVATE_KEY_PATH: z.string().optional(),
});

export type Variables = z.output<typeof variables>;
