import { once } from 'node:events';
import process from 'node:process';
import {
  type CommittedChangeRow,
  LEDGER_PAGE,
  type LedgerAnswer,
  type LedgerEntry,
  type LedgerFilter,
  type LedgerKey,
  type VoteRow,
} from '../../adapters/store/ledger.ts';
import { type ChangePayload, onlyMember } from '../../core/edits/change.ts';
import { escapeHiddenInJson } from '../../core/edits/text/characters.ts';
import { describeProposal, type Proposal, postedChange } from '../../core/state/proposal.ts';
import type { AgentQuestion } from '../../core/state/question.ts';
import { instructionOf } from '../../core/step/ledger-record.ts';
import { parseJson } from '../../lib/trust.ts';
import { type Ask, withDatabase } from '../ask.ts';
import { defineCommand, OptionsError, parseTime, reportProblem, runCommand } from '../options.ts';

const PULL_NAME = /^([\w.-]+\/[\w.-]+)#([1-9]\d{0,9})$/;

/** The arguments of `countersign export`. */
export const EXPORT_COMMAND = defineCommand({
  name: 'countersign export',
  help: `Usage: countersign export [--pr OWNER/REPO#N] [--since TIME] [--csv]

Writes out the ledger, oldest first: one JSON object per line for each proposal, with its votes and commits,
then one for each answer to a question of the agent.
Asks the running server, or the database that DATABASE_URL or DATA_DIR names.

  --pr OWNER/REPO#N  only proposals of this pull request
  --since TIME       decided, or else proposed, since this time, such as 2030-01-31 or 2030-01-31T12:00:00Z
  --csv              a table with the same fields; lists and objects are JSON in their cells
  --help             print this text

Exit code: 0 on success, 1 if the pull request is unknown, 2 if the command could not begin.
`,
  options: { pr: { type: 'string' }, since: { type: 'string' }, csv: { type: 'boolean' } },
  read({ pr, since, csv }) {
    const [, repository, number] = PULL_NAME.exec(pr ?? '') ?? [];
    if (pr !== undefined && repository === undefined) throw new OptionsError('--pr needs a name such as acme/shop#7.');
    const pull = repository === undefined ? null : { repository, number: Number(number) };
    return { pull, since: parseTime('--since', since), format: csv === true ? 'csv' : 'json' };
  },
});

type ExportOptions = ReturnType<typeof EXPORT_COMMAND.read>;

/** Runs `countersign export`. Exit code: 0, 1 (unknown pull request), or 2 (could not begin). */
export function runExport(argv: readonly string[]): Promise<number> {
  return runCommand(EXPORT_COMMAND, argv, (options) =>
    withDatabase(EXPORT_COMMAND.name, (ask) => exportLedger(ask, options)),
  );
}

async function exportLedger(ask: Ask, { pull, since, format }: ExportOptions): Promise<number> {
  const pullKeys = pull === null ? null : await ask('pullKeys', pull);
  if (pull !== null && pullKeys?.length === 0)
    return reportProblem(EXPORT_COMMAND.name, `The ledger has no pull request ${pull.repository}#${pull.number}.`, 1);
  const keys = await ask('ledgerKeys', { pullKeys, since });
  // Without a listener, a closed pipe would crash the process.
  process.stdout.on('error', () => {});
  const toText = (row: ExportedRow) => (format === 'csv' ? toCsv(row) : `${escapeHiddenInJson(JSON.stringify(row))}\n`);
  if (format === 'csv') await writeToStdout(`${Object.keys(EMPTY_ROW).join(',')}\r\n`);
  for await (const rows of readRows(ask, { pullKeys, since }, keys))
    if (!(await writeToStdout(rows.map(toText).join('')))) break;
  return 0;
}

/** The rows of the export in pages, oldest first: those of the proposals, then the answers to questions. */
export async function* readRows(
  ask: Ask,
  filter: LedgerFilter,
  keys: readonly LedgerKey[],
): AsyncGenerator<readonly ExportedRow[]> {
  for (let start = 0; start < keys.length; start += LEDGER_PAGE)
    yield (await ask('ledger', keys.slice(start, start + LEDGER_PAGE))).map(toExportedRow);
  for (let after: number | undefined = 0; after !== undefined; ) {
    const answers: readonly LedgerAnswer[] = await ask('answers', { ...filter, after });
    yield answers.map(toExportedAnswer);
    after = answers.at(-1)?.voteId;
  }
}

/** Waits for a slow reader; false if the output is closed. */
async function writeToStdout(text: string): Promise<boolean> {
  const { stdout } = process;
  if (stdout.writable && !stdout.write(text)) {
    const settled = new AbortController();
    const wait = (event: string): Promise<unknown> => once(stdout, event, { signal: settled.signal }).catch(() => {});
    await Promise.race(['drain', 'close', 'error'].map(wait)).finally(() => settled.abort());
  }
  return stdout.writable;
}

/** A row as RFC 4180 writes it. Lists and objects are JSON, and so are texts that a spreadsheet would compute. */
function toCsv(row: ExportedRow): string {
  return `${Object.values({ ...EMPTY_ROW, ...row })
    .map(toCell)
    .join(',')}\r\n`;
}

const FORMULA = /^[=+\-@\t\r]/;

function toCell(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const json = escapeHiddenInJson(JSON.stringify(value));
  const text = typeof value === 'string' && json === `"${value}"` && !FORMULA.test(value) ? value : json;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * An empty line of the export, whose fields are in the order of the columns of a table. Times are ISO 8601. A field is
 * null if it does not apply yet, or was deleted.
 */
const EMPTY_ROW: ExportedRow = {
  proposalId: '',
  /** Id of the run. */
  conversationId: null,
  /** Ids of installation and repository. */
  organizationId: '',
  repository: null,
  pullRequest: 0,
  /** The person who gave the task or requested the undo. */
  userId: null,
  userLogin: null,
  toolName: null,
  /** The arguments of the tool call. */
  parameters: null,
  state: 'unknown',
  proposalMessage: null,
  userResponse: null,
  customInstruction: null,
  result: null,
  error: null,
  proposedAt: null,
  decidedAt: null,
  executedAt: null,
  /** From the decision to the commit. */
  durationMs: null,
  /** SHA-256 (hex) of the change that people saw. */
  digest: null,
  votes: [],
  writes: [],
};

/** One line of the export. */
export type ExportedRow = Readonly<ReturnType<typeof toExportedRow>>;

/** Converts a ledger entry. */
function toExportedRow(entry: LedgerEntry) {
  const { proposal, record, outcome, votes, committedChanges } = entry;
  const { decidedAt = null, executedAt = null } = record ?? {};
  return {
    proposalId: entry.proposalId,
    ...placeOf(entry, entry.runId),
    userId: record?.requester?.id ?? null,
    userLogin: record?.requester?.login ?? null,
    toolName: record?.tool ?? null,
    parameters: proposal === null ? null : exportedParameters(proposal),
    state: outcome?.state ?? proposal?.state ?? 'unknown',
    proposalMessage: proposal === null ? null : describeProposal(proposal),
    userResponse: record?.response ?? null,
    customInstruction: proposal === null ? null : instructionOf(proposal),
    result: exportedResult(entry),
    error: outcome === null || outcome.state === 'completed' ? null : outcome.note,
    proposedAt: record?.proposedAt ?? null,
    decidedAt,
    executedAt,
    durationMs: decidedAt === null || executedAt === null ? null : Date.parse(executedAt) - Date.parse(decidedAt),
    digest: proposal?.change.digest ?? committedChanges[0]?.shown_digest ?? outcome?.digest ?? null,
    votes: votes.map(exportedVote),
    writes: committedChanges.map(exportedWrite),
  };
}

/** Converts an answer to a question of the agent. The vote holds the answer, as the model got it. */
function toExportedAnswer(answer: LedgerAnswer): ExportedRow {
  const { asked, questionId, vote } = answer;
  return {
    ...EMPTY_ROW,
    proposalId: questionId,
    ...placeOf(answer, asked?.run.id ?? null),
    userId: asked?.run.task.by.id ?? null,
    userLogin: asked?.run.task.by.login ?? null,
    toolName: 'ask_user',
    parameters: asked === null ? null : questionParameters(asked.question),
    state: vote.action === 'reject-question' ? 'rejected' : 'answered',
    proposedAt: asked?.question.comment?.createdAt ?? null,
    decidedAt: vote.at,
    digest: vote.digest,
    votes: [exportedVote(vote)],
  };
}

function placeOf({ installationId, repositoryId, pull, number }: LedgerEntry | LedgerAnswer, runId: string | null) {
  return {
    conversationId: runId,
    organizationId: `${installationId}/${repositoryId}`,
    repository: pull === null ? null : `${pull.owner}/${pull.repo}`,
    pullRequest: number,
  };
}

function questionParameters({ prompt, input }: AgentQuestion): Readonly<Record<string, unknown>> {
  return { prompt, input_type: input.type, ...(input.type === 'text' ? {} : { choices: input.choices }) };
}

/** After a person's own edit, these are the arguments of the original proposal. */
function exportedParameters(proposal: Proposal): Readonly<Record<string, unknown>> {
  if (proposal.origin.kind === 'undo') return { of: proposal.origin.undoneProposalId };
  const change = postedChange(proposal);
  const only = onlyMember(change);
  if (only !== null) return payloadParameters(only.payload);
  const changes = change.members.map(({ payload }) => ({ op: payload.type, ...payloadParameters(payload) }));
  return { summary: change.summary, changes };
}

function payloadParameters(payload: ChangePayload): Readonly<Record<string, unknown>> {
  const { path } = payload;
  switch (payload.type) {
    case 'edit': {
      const { old_string, new_string, replace_all } = payload;
      return { path, old_string, new_string, replace_all };
    }
    case 'write':
      return { path, content: payload.content };
    case 'move':
      return { from: payload.from, to: path };
    case 'delete':
    case 'read':
      return { path };
  }
}

function exportedResult({ outcome, committedChanges }: LedgerEntry) {
  if (outcome === null || outcome.state !== 'completed') return null;
  const { commit, digest } = outcome;
  return { commit, digest, range: committedChanges.find(({ commit_sha }) => commit_sha === commit)?.range ?? null };
}

function exportedVote(vote: VoteRow) {
  const { action, permission, surface, digest, head, at, text, standing_approval } = vote;
  const standingApproval = standing_approval === null ? null : parseJson(standing_approval);
  return {
    ...{ action, userId: vote.person_id, userLogin: vote.login, permission, surface },
    ...{ commentId: vote.comment_id, bodyHash: vote.body_hash, deliveryId: vote.delivery_id },
    ...{ digest, head, at, text, standingApproval },
  };
}

function exportedWrite({ commit_sha, parent_sha, shown_digest, digest, range, approvers, at }: CommittedChangeRow) {
  return {
    ...{ commit: commit_sha, parent: parent_sha, shownDigest: shown_digest, digest, range },
    ...{ approvers: approvers.map(({ id, login }) => ({ userId: id, userLogin: login })) },
    at: new Date(at).toISOString(),
  };
}
