import { z } from 'zod';
import { DEFAULT_SETTINGS } from '../policy/settings.ts';
import { TOOL_NAMES } from '../tools/definitions.ts';
import { isRecord } from '../trust.ts';
import { amount, choice, duration, flag, group, line, list, paths, template, wholeNumber } from './values.ts';

const rule = group({
  tools: list(choice(...TOOL_NAMES), 'a list of tools').min(1, { error: 'at least one tool' }),
  paths: paths('glob').min(1, { error: 'at least one glob' }),
  decide: choice('deny', 'ask', 'allow'),
}).refine(({ tools, decide }) => decide === 'deny' || tools.every((tool) => tool === 'read_file'), {
  path: ['decide'],
  error: 'deny, because a change always needs a person; ask and allow are for read_file alone',
});

const limits = group({
  turns: wholeNumber(1, 1_000).default(25).describe('Model responses of one run'),
  tokens: wholeNumber(1, 1_000_000_000).default(1_000_000).describe('Tokens of one run'),
  cost_usd: amount(1_000_000).optional().describe('Dollars of one run; without it there is no such limit'),
  proposals_per_turn: wholeNumber(1, 30).default(20).describe('Changes that may wait at once'),
  runs_per_day: wholeNumber(1, 100_000).default(50).describe('Runs in the repository'),
});

/**
 * Every key of the repository's file. The JSON schema, the table of the documentation and the reader come from it.
 * Defaults that something reads already are those of `policy/settings.ts`.
 */
export const SettingsFile = z.strictObject({
  model: line('the name of a model').optional().describe('One of the operator’s models; without it `OPENAI_MODEL`'),
  commands: choice('short', 'prefixed')
    .default(DEFAULT_SETTINGS.commands)
    .describe('`prefixed`: only `/countersign …` and `@<app-slug> …` are read'),
  approvers: choice('write', 'maintain', 'admin', 'codeowners')
    .default(DEFAULT_SETTINGS.approvers)
    .describe('Who may approve: everybody with write access, or only those with the maintain or admin role'),
  require_non_author: flag()
    .default(DEFAULT_SETTINGS.requireNonAuthor)
    .describe('The approval of the pull request’s author does not count'),
  require_non_requester: flag()
    .default(DEFAULT_SETTINGS.requireNonRequester)
    .describe('The approval of the one who gave the task does not count'),
  required_approvals: wholeNumber(1, 10)
    .default(DEFAULT_SETTINGS.requiredApprovals)
    .describe('How many people must approve each change'),
  rules: list(rule, 'a list of rules')
    .default([])
    .describe('The first that matches decides: `deny`, or for `read_file` also `ask` and `allow`'),
  protected_paths: paths('glob').default([]).describe('Added to the built-in list: always asked, no standing approval'),
  standing_approvals: choice('off', 'path', 'glob').default('glob').describe('How far `always` may reach'),
  expiry: duration()
    .default('7d')
    .describe('How long a change waits for a decision before it expires: `12h` or `3d`, from `1h` to `30d`'),
  review_event: choice('comment', 'request-changes')
    .default(DEFAULT_SETTINGS.reviewEvent)
    .describe('How proposals are posted'),
  review_approval: choice('nothing', 'approve-all')
    .default(DEFAULT_SETTINGS.reviewApproval)
    .describe('What a plain *Approve* review does to what was pending when it was sent'),
  commit_message: template('summary', 'paths', 'ids')
    .default('{summary}')
    .describe('The commit’s text above its trailers'),
  sign_off: flag().default(false).describe('Adds `Signed-off-by` of the approver'),
  limits: limits.optional().describe('Bounds of each run'),
  context_files: paths('path').default(['AGENTS.md']).describe('Instructions for the agent, from the default branch'),
});

export type SettingsKey = keyof typeof SettingsFile.shape;

/** A value of the file that this version refuses; `schema` says the same of it to editors. */
type NotYet = { readonly isSet: (value: unknown) => boolean; readonly schema: Readonly<Record<string, unknown>> };

const anyItem: NotYet = { isSet: (value) => Array.isArray(value) && value.length > 0, schema: { maxItems: 0 } };

/**
 * Keys whose values would hold people or the agent back, and do not yet. Whoever sets one relies on it: the file counts
 * as broken, so that nothing is approved in the belief that it holds.
 */
export const NOT_YET: Readonly<Partial<Record<SettingsKey, NotYet>>> = {
  approvers: { isSet: (value) => value === 'codeowners', schema: { not: { const: 'codeowners' } } },
  rules: anyItem,
  protected_paths: anyItem,
  limits: {
    isSet: (value) => isRecord(value) && Object.keys(value).length > 0,
    schema: { maxProperties: 0 },
  },
};
