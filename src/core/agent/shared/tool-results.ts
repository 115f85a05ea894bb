import { REDACTED, redact, redactDiff } from '../../../lib/credentials.ts';
import { shortSha } from '../../../lib/format.ts';
import { type Change, type FileChange, onlyMember, pathsOf, unifiedDiffOf } from '../../edits/change.ts';
import { formatExtent, summarizeChange } from '../../edits/describe-change.ts';
import { MAX_CALLS_PER_RESPONSE } from '../../state/tools.ts';
import { canApprove, type Vote } from '../../state/vote.ts';
import { cutDiffForJson } from './response-size.ts';

/** T1: a person's instruction in place of a result. The tool did not run. */
export function instructionOutput(instruction: string): string {
  return `[USER FEEDBACK - Tool was not executed]: ${redact(instruction)}`;
}

/** A person as results name them (S140): the login, and what gives their words weight. */
export function describePerson({ by, permission }: Pick<Vote, 'by' | 'permission'>): string {
  return `${by.login} (${canApprove(permission) ? 'write access' : 'the pull request’s author'})`;
}

/** T4: a person denied the change, with an optional reason. */
export function deniedOutput(vote: Pick<Vote, 'by' | 'permission' | 'text'>): string {
  return `Edit rejected by ${describePerson(vote)}${reasonClause(vote)}. This is a decision, not a tool failure; the file is unchanged. Do not propose the same change again.`;
}

/** A person denied that a file is read. */
export function readDeniedOutput(path: string, vote: Pick<Vote, 'by' | 'text'>): string {
  return `Reading ${path} was denied by ${vote.by.login}${reasonClause(vote)}. This is a decision, not a tool failure. Do not ask to read this version again.`;
}

/** Without a full stop at its end, which the sentence has itself. */
function reasonClause({ text }: Pick<Vote, 'text'>): string {
  const reason = redact(text ?? '').replace(/(?<!\.)\.$/, '');
  return reason === '' ? '' : `: ${reason}`;
}

/**
 * T7: the file changed since the proposal. Both SHAs are of blobs, or both of commits. `login` names who changed it;
 * null if that is unknown.
 */
export function staleOutput(path: string, base: string, current: string, login: string | null = null): string {
  const stale = `Not applied: ${path} changed after this change was proposed (base ${shortSha(base)}, now ${shortSha(current)}). Tool was not executed.`;
  const by = login === null ? '' : ` ${login} pushed the change.`;
  return `${stale} Read the file again before proposing.${by}`;
}

/** T8: the same change was denied before. */
export function alreadyRejectedOutput(login: string): string {
  return `This exact change was already rejected by ${login}. It was not shown again. Propose something different or stop.`;
}

/** S18: a pending change of another origin, such as an undo, touches the same place. */
export function overlapsPendingOutput(path: string): string {
  return `Not proposed: this change of ${path} touches the same place as a change that people asked for and have not decided yet. Propose it again after that one is decided.`;
}

/** The comments cannot show the change completely and exactly. */
export function notShowableOutput(path: string): string {
  return `Not proposed: the change of ${path} is such that it cannot be shown to people whole and exactly. Split it into smaller changes.`;
}

/** The pull request was closed before the change was posted. The model reads it only if it is open again. */
export function closedMeanwhileOutput(path: string): string {
  return `Not proposed: the pull request was closed before people were shown the change of ${path}, and is open again.`;
}

/** A call beyond the limit of one response. */
export const TOO_MANY_CALLS_OUTPUT = `Not executed: only the first ${MAX_CALLS_PER_RESPONSE} calls of a response are served. Call it again in a later response.`;

/** No call can run where the files cannot be listed. */
export const TREE_TOO_LARGE_OUTPUT =
  'The repository could not be read: it has too many files or directories to be listed. No tool works here.';

/** T17: the attempt failed for good. `error` is a phrase without a period. */
export function failedOutput(error: string): string {
  return `Not applied: ${error}. Tool was not executed; the file is unchanged.`;
}

/** T19: too many pending changes for one review. */
export function tooManyPendingOutput(max: number): string {
  return `Not proposed: at most ${max} changes can wait at once. Propose it again after these are decided.`;
}

/** The pull request was retargeted before a decision. */
export function retargetedOutput(from: string, to: string): string {
  return `Withdrawn: the pull request now targets ${to}, not ${from}; no decision was made. Tool was not executed. Read the files again before proposing.`;
}

/** T18: the change would silently revert a person's own text. */
export const REVERTS_USER_EDIT_OUTPUT =
  'A person changed this text from what you proposed. Restoring it was not shown. Propose something different or stop.';

/** The result of a plan. */
export const PLAN_OUTPUT = 'The plan is shown to people.';

/** `/continue` left the call undecided. */
export const WITHDRAWN_OUTPUT = 'Withdrawn: no decision was made.';

/** The call ended without a decision for another reason. `cause` is a sentence. */
export function withdrawnOutput(cause: string): string {
  return `${WITHDRAWN_OUTPUT} ${cause}`;
}

/** The cause where nobody decided in time. */
export const EXPIRED_CAUSE = 'It expired before anybody decided.';

/** T9: a temporary result of an undecided call, while the model answers a question. */
export function pendingOutput(id: string): string {
  return JSON.stringify({
    status: 'pending_approval',
    executionId: id,
    message: 'This action requires user approval. Please wait for confirmation.',
  });
}

/** A temporary result of an immediate call, while the model answers a question. */
export const STILL_RUNNING_OUTPUT = 'This call is still running.';

/** How a change came to be applied: its commit, the votes that led to it, and the text below the approvals. */
type Application = {
  /** Null if it is unknown. */
  readonly commitSha: string | null;
  readonly votes: readonly Pick<Vote, 'action' | 'by' | 'permission'>[];
  readonly userNote: string | null;
};

/** T2: the change was applied as proposed. The model knows its diff from its own call. */
export function appliedOutput(change: Change, application: Application): string {
  const { members } = change;
  const only = onlyMember(change);
  const message =
    members.length > MAX_MESSAGES
      ? `Applied all ${formatExtent(members.map(({ path }) => path))}.`
      : members.map(appliedMessage).join(' ');
  return JSON.stringify({
    ...(only === null ? { paths: pathsOf(change) } : namedFile(only)),
    message,
    ...applicationFields(application),
    details: { userModified: false },
  });
}

/** Members of a set that its result describes one by one. */
const MAX_MESSAGES = 5;

/**
 * T3: a person's own text was applied instead. `userEdits` is the diff from the proposed text to it; `maxBytes` are for
 * both diffs.
 */
export function userModifiedOutput(
  change: FileChange,
  userEdits: string,
  application: Application,
  maxBytes: number,
): string {
  const message = `Successfully applied user-modified edit to ${change.path}. Note: The user modified your suggested changes before accepting. Do not attempt to revert to your original suggestion.`;
  return JSON.stringify({
    ...namedFile(change),
    message,
    ...applicationFields(application),
    details: diffDetails(unifiedDiffOf(change.payload) ?? '', maxBytes / 2),
    user_edits: cutDiffForJson(redactDiff(userEdits), maxBytes / 2),
  });
}

function namedFile(change: FileChange): object {
  const { path, region } = change;
  const { replacements, linesChanged } = summarizeChange(change);
  return {
    path,
    ...(replacements === null ? {} : { replacements_made: replacements }),
    ...(region === null ? {} : { lines_changed: linesChanged }),
  };
}

/** A person who pushed a change is no approver of it. */
function applicationFields({ commitSha, votes, userNote }: Application): object {
  const namesOf = (isCommit: boolean): readonly string[] => [
    ...new Set(votes.filter(({ action }) => (action === 'commit') === isCommit).map(describePerson)),
  ];
  const [approvers, committers] = [namesOf(false), namesOf(true)];
  return {
    ...(commitSha === null ? {} : { commit: shortSha(commitSha) }),
    ...(approvers.length === 0 ? {} : { approved_by: approvers }),
    ...(committers.length === 0 ? {} : { committed_by: committers }),
    ...(userNote === null || userNote === '' ? {} : { user_note: redact(userNote) }),
  };
}

/** The diff of a person's own text without secrets, cut to its share of the results of one response (S168). */
function diffDetails(stored: string, maxBytes: number): object {
  const redacted = redactDiff(stored);
  const diff = cutDiffForJson(redacted, maxBytes);
  const notes = [...(redacted === stored ? [] : [REDACTED_NOTE]), ...(diff === redacted ? [] : [CUT_NOTE])];
  return { diff, userModified: true, ...(notes.length === 0 ? {} : { note: notes.join('; ') }) };
}

const CUT_NOTE = 'the diff is cut; read_file shows the file';

/** T26: these lines of this version of the file are in an earlier result of the run. */
export const UNCHANGED_OUTPUT = 'Unchanged since it was shown above.';

/** Tells the model what the placeholder in an output means. */
export const REDACTED_NOTE = `${REDACTED} stands for a secret, which is not shown and cannot be edited`;

function appliedMessage(change: FileChange): string {
  const { path, payload } = change;
  switch (payload.type) {
    case 'edit':
      return `Successfully replaced text in ${path}. ${summarizeChange(change).summary}`.trim();
    case 'write':
      return payload.content_lines === null ? `Restored ${path}.` : `Wrote ${payload.content_lines} lines to ${path}.`;
    case 'delete':
      return `Deleted ${path}.`;
    case 'move':
      return `Moved ${payload.from} to ${path}.`;
    case 'read':
      return `${path} may be read.`;
  }
}

const MAX_QUOTED_CHARACTERS = 60;

/** The model's text as a JSON string, shortened so that an error never quotes much. */
export function quoteTruncated(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text);
}

/** A path as one word. Git allows line breaks, spaces and colons in names, which could pose as other text. */
export function formatPath(path: string): string {
  return /[\p{Cc}\s":]/u.test(path) ? JSON.stringify(path) : path;
}
