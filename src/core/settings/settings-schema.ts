import { z } from 'zod';
import { formatList } from '../../lib/format.ts';
import { DEFAULT_SETTINGS } from '../state/settings.ts';
import { TOOL_NAMES, type ToolName } from '../state/tools.ts';

const MAX_TEXT_CHARACTERS = 500;

/** Entries of one list. */
export const MAX_LIST_ITEMS = 100;

const HOURS_PER_UNIT = { h: 1, d: 24 } as const;

/** Neither an outer space or slash, nor `//`, a backslash, `.` or `..`. */
const FROM_ROOT = String.raw`(?![ /])(?!.*(?:[ /]$|//|\\))(?!(?:.*/)?\.{1,2}(?:/|$))`;

/**
 * The forms of paths and globs. Signs that other tools know and these globs do not are a problem: they would match no
 * file, and a rule that silently covers nothing protects nothing. `[` is none, because names such as `[id].tsx` are
 * common.
 */
const PATH_FORMS = {
  path: {
    form: new RegExp(`^${FROM_ROOT}[^*?]+$`),
    error: 'the path of a file from the root of the repository, such as docs/agents.md',
  },
  glob: {
    form: new RegExp(String.raw`^${FROM_ROOT}(?!!)(?!.*\{[^{}]*,)(?!.*(?:[^/]\*\*|\*\*[^/])).+$`),
    error:
      'a glob from the root of the repository, such as src/** or **/*.pem, without .., !, {a,b} and a slash at its end',
  },
} as const;

/** A rule is about paths, and these tools have none. */
const TOOLS_WITHOUT_PATHS: readonly ToolName[] = ['read_checks', 'ask_user', 'plan'];

/** The parts of a rule. */
export const RULE_PARTS = {
  tool: oneOfWords(...TOOL_NAMES.filter((name) => !TOOLS_WITHOUT_PATHS.includes(name))),
  glob: pathText('glob'),
  decide: oneOfWords('deny', 'ask', 'allow'),
};

const ruleSchema = settingsGroup({
  tools: boundedList(RULE_PARTS.tool, 'a list of tools').min(1, { error: 'at least one tool' }),
  paths: boundedList(RULE_PARTS.glob, 'a list of globs').min(1, { error: 'at least one glob' }),
  decide: RULE_PARTS.decide,
}).refine(({ tools, decide }) => decide === 'deny' || tools.every((tool) => tool === 'read_file'), {
  path: ['decide'],
  error: 'deny, because a change always needs a person; ask and allow are for read_file alone',
});

const requirementSchema = settingsGroup({
  paths: pathList('glob').min(1, { error: 'at least one glob' }),
  approvals: wholeNumber(1, 10).optional(),
  approvers: oneOfWords('write', 'maintain', 'admin', 'codeowners').optional(),
})
  .refine(({ approvals, approvers }) => approvals !== undefined || approvers !== undefined, {
    error: 'a rule with approvals, approvers or both',
  })
  .meta({ anyOf: [{ required: ['approvals'] }, { required: ['approvers'] }] });

/** The bounds of runs. */
export const limitsSchema = settingsGroup({
  turns: wholeNumber(1, 1_000)
    .default(DEFAULT_SETTINGS.limits.turns)
    .describe('Responses without a proposal since a person’s last words; at most 40 of them in a row without a person'),
  tokens: wholeNumber(1, 1_000_000_000).default(DEFAULT_SETTINGS.limits.tokens).describe('Tokens of one run'),
  cost_usd: positiveAmount(1_000_000).optional().describe('Dollars of one run; without it there is no such limit'),
  minutes: wholeNumber(1, 100_000)
    .optional()
    .describe('Minutes of the agent at work; without it there is no such limit'),
  proposals_per_turn: wholeNumber(1, 30)
    .default(DEFAULT_SETTINGS.limits.proposalsPerTurn)
    .describe('Changes that can be pending at once'),
  runs_per_day: wholeNumber(1, 100_000)
    .default(DEFAULT_SETTINGS.limits.runsPerDay)
    .describe('Starts of runs in the repository, also of ended ones that go on'),
  runs_per_person_per_day: wholeNumber(1, 100_000)
    .optional()
    .describe('The same of one person; without it there is no such limit'),
});

/**
 * Every key of the repository's file. The parser, the JSON schema and the table in the documentation derive from it;
 * the defaults are those of `core/state/settings.ts`.
 */
export const SettingsFileSchema = settingsGroup({
  model: singleLineText('the name of a model')
    .optional()
    .describe('One of the operator’s models; without it `OPENAI_MODEL`'),
  commands: oneOfWords('short', 'prefixed')
    .default(DEFAULT_SETTINGS.commands)
    .describe('`prefixed`: only `/countersign …` and `@<app-slug> …` are read'),
  approvers: oneOfWords('write', 'maintain', 'admin', 'codeowners')
    .default('write')
    .describe(
      'Who can approve: everybody with write access, those with the maintain or admin role, or the code owners of the paths',
    ),
  require_non_author: booleanFlag()
    .default(DEFAULT_SETTINGS.requireNonAuthor)
    .describe('The pull request’s author does not count'),
  require_non_requester: booleanFlag()
    .default(DEFAULT_SETTINGS.requireNonRequester)
    .describe('Who gave the task, and who wrote own lines of the change, do not count'),
  required_approvals: wholeNumber(1, 10)
    .default(DEFAULT_SETTINGS.requiredApprovals)
    .describe('How many people must approve each change'),
  rules: boundedList(ruleSchema, 'a list of rules')
    .default([])
    .describe(
      'The first match decides: `deny`, or for `read_file` also `ask` and `allow`; the operator’s rules hold too',
    ),
  require: boundedList(requirementSchema, 'a list of stronger rules')
    .default([])
    .describe(
      'Stronger approval for some paths: `paths`, and `approvals`, `approvers` or both; the operator’s hold too',
    ),
  protected_paths: pathList('glob')
    .default([])
    .describe('Added to the built-in list and the operator’s: always asked, no standing approval'),
  standing_approvals: oneOfWords('off', 'path', 'glob')
    .default(DEFAULT_SETTINGS.standingApprovals)
    .describe('How far `/approve always` can reach: one path, or a glob too'),
  expiry: durationText()
    .default('7d')
    .describe('Time after which a pending change or a standing approval expires: `12h` or `3d`, from `1h` to `30d`'),
  review_event: oneOfWords('comment', 'request-changes')
    .default(DEFAULT_SETTINGS.reviewEvent)
    .describe('How proposals are posted'),
  check_run: oneOfWords('show', 'required', 'off')
    .default(DEFAULT_SETTINGS.checkRun)
    .describe(
      'The check run that lists the pending changes: `required` lets a branch rule demand it, and gives every pull request one; see below',
    ),
  label: booleanFlag()
    .default(DEFAULT_SETTINGS.label)
    .describe('The label `countersign: waiting` on a pull request while a change or question waits; see below'),
  wait_for_checks: waitText()
    .default('30m')
    .describe('How long a run waits for the checks of its commits: `off`, or from `1m` to `6h`'),
  review_approval: oneOfWords('nothing', 'approve-all')
    .default(DEFAULT_SETTINGS.reviewApproval)
    .describe('The effect of a plain *Approve* review on changes that were pending when it was sent'),
  commit_message: templateText('summary', 'paths', 'ids')
    .default(DEFAULT_SETTINGS.commitMessage)
    .describe('The commit’s text above its trailers, with `{summary}`, `{paths}` and `{ids}`'),
  sign_off: booleanFlag().default(DEFAULT_SETTINGS.signOff).describe('Adds `Signed-off-by` of each approver'),
  limits: limitsSchema.optional().describe('Bounds of each run, and of the runs of a day; see below'),
  context_files: pathList('path')
    .default([...DEFAULT_SETTINGS.contextFiles])
    .describe(
      'Instructions for the agent, from the default branch; `AGENTS.md` also stands for those above changed files',
    ),
});

/** The keys with a stricter and a looser value, as the operator's bounds. The defaults of the keys do not apply. */
const ceilingsSchema = settingsGroup({
  ...SettingsFileSchema.pick({
    approvers: true,
    require_non_author: true,
    require_non_requester: true,
    required_approvals: true,
    standing_approvals: true,
    expiry: true,
    review_approval: true,
    sign_off: true,
    limits: true,
  }).partial().shape,
});

const priceSchema = settingsGroup({
  input: price(),
  cached_input: price().optional().describe('That of `input` if there is none'),
  output: price(),
});

/** Every key of the operator's `CONFIG_FILE`: those of a repository as its defaults, and what only an operator says. */
export const OperatorFileSchema = settingsGroup({
  ...SettingsFileSchema.shape,
  ceilings: ceilingsSchema.optional().describe('Bounds of these keys, which a repository can only tighten'),
  models: boundedList(singleLineText('the name of a model'), 'a list of models')
    .default([])
    .describe('The models that `model` can name beside `OPENAI_MODEL`'),
  prices: z
    .record(singleLineText('the name of a model'), priceSchema, { error: 'a group of prices by the name of a model' })
    .default({})
    .describe('Dollars per million tokens of each model: `input`, `cached_input`, `output`'),
});

// The types of values. Each has one error for all invalid values, which names the allowed ones.

function oneOfWords<const Words extends readonly string[]>(...words: Words) {
  return z.enum(words, { error: formatList(words, 'or') });
}

/** YAML's `yes` and `on` are strings. */
function booleanFlag() {
  return z.boolean({ error: 'true or false' });
}

function wholeNumber(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** An amount of money. */
function positiveAmount(max: number) {
  const error = `a number above 0, at most ${max}`;
  return z.number({ error }).positive({ error }).max(max, { error });
}

/** Dollars per million tokens. */
function price() {
  const error = 'dollars per million tokens, from 0 to 100000';
  return z.number({ error }).min(0, { error }).max(100_000, { error });
}

function singleLineText(what: string) {
  const error = `${what}, at most ${MAX_TEXT_CHARACTERS} characters in one line`;
  return z
    .string({ error })
    .min(1, { error })
    .max(MAX_TEXT_CHARACTERS, { error })
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error });
}

function pathText(what: keyof typeof PATH_FORMS) {
  const { form, error } = PATH_FORMS[what];
  return singleLineText(error).regex(form, { error });
}

function pathList(what: keyof typeof PATH_FORMS) {
  return boundedList(pathText(what), `a list of ${what}s`);
}

function boundedList<Item extends z.ZodType>(item: Item, what: string) {
  const error = `${what}, at most ${MAX_LIST_ITEMS}`;
  return z.array(item, { error }).max(MAX_LIST_ITEMS, { error });
}

function settingsGroup<const Shape extends z.ZodRawShape>(shape: Shape) {
  const keys = Object.keys(shape);
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? keys.join(', ') : `a group of ${formatList(keys)}`),
  });
}

/** `12h` or `7d`, from 1 hour to 30 days. */
function durationText() {
  const error = 'a time from 1h to 30d, in hours (h) or days (d)';
  return z
    .string({ error })
    .regex(/^[1-9]\d{0,2}[hd]$/, { error })
    .refine((text) => parseDurationHours(text) <= 30 * HOURS_PER_UNIT.d, { error });
}

/** The hours of a valid duration. */
export function parseDurationHours(text: string): number {
  return Number.parseInt(text, 10) * (text.endsWith('d') ? HOURS_PER_UNIT.d : HOURS_PER_UNIT.h);
}

const MINUTES_PER_UNIT = { m: 1, h: 60 } as const;

/** `off`, or from 1 minute to 6 hours. */
function waitText() {
  const error = 'off, or a time from 1m to 6h, in minutes (m) or hours (h)';
  return z
    .string({ error })
    .regex(/^(?:off|[1-9]\d{0,2}[mh])$/, { error })
    .refine((text) => (parseWaitMinutes(text) ?? 1) <= 6 * MINUTES_PER_UNIT.h, { error });
}

/** The minutes of a valid wait; null for `off`. */
export function parseWaitMinutes(text: string): number | null {
  if (text === 'off') return null;
  return Number.parseInt(text, 10) * (text.endsWith('h') ? MINUTES_PER_UNIT.h : MINUTES_PER_UNIT.m);
}

/** A text with placeholders in braces. */
function templateText(...placeholders: readonly string[]) {
  const error = `a text with no other placeholders than ${formatList(placeholders.map((name) => `{${name}}`))}, at most 2000 characters`;
  const known = new Set(placeholders);
  return z
    .string({ error })
    .min(1, { error })
    .max(2_000, { error })
    .refine((text) => [...text.matchAll(/\{([^{}]*)\}/g)].every(([, name]) => known.has(name ?? '')), { error });
}
