import { Buffer } from 'node:buffer';
import { putBlob, readBlob, readGitCommit, type Sha } from '../github/git/objects.ts';
import { findTreeEntry, type TreeObjectEntry, updateTree } from '../github/git/trees.ts';
import type { PullTarget } from '../github/operations/inputs.ts';
import { applyRefUpdate, checkPushRules } from '../github/operations/refs.ts';
import { resolveReviewThread } from '../github/operations/review-threads.ts';
import { createGitSignature, noreplyAddress, putWebFlowCommit } from '../github/state/commits.ts';
import type {
  FakeAccount,
  FakePullRequest,
  FakeRepository,
  FakeReviewComment,
  FakeReviewThread,
  GitHubState,
} from '../github/state/github-state.ts';
import { canPush, findAccountById, type LocatedPull, locatePull } from '../github/state/lookup.ts';
import {
  ADMIN_RIGHTS_ERROR,
  type ApiError,
  NOT_FOUND_ERROR,
  type Operation,
  type OperationResult,
  unprocessableError,
} from '../github/state/operation.ts';
import { refuseWith, succeedWith, withAuditEntry } from '../github/state/update.ts';

/**
 * The comments whose suggestions are committed together. It is unknown whether GitHub sends webhooks for the threads that
 * it resolves; `silently` omits them.
 */
export type CommitSuggestionInput = PullTarget & {
  readonly commentIds: readonly number[];
  readonly resolves?: 'with an event' | 'silently';
};

/**
 * Commits suggestions like a click on *Commit suggestion*: the person is the author, GitHub the committer. Returns an
 * error if GitHub would disable the button.
 */
export const commitSuggestion: Operation<CommitSuggestionInput, Sha> = (github, input, now) => {
  const located = locatePull(github, input.repositoryId, input.number);
  const account = github.accounts.get(input.actor.accountId);
  const source = located === undefined ? undefined : github.repositories.get(located.pull.head.repositoryId);
  if (located === undefined || account === undefined || source === undefined)
    return refuseWith(github, NOT_FOUND_ERROR);
  const suggestions = resolveSuggestions(located, source, input);
  if ('status' in suggestions) return refuseWith(github, suggestions);
  const { head } = located.pull;
  const tree = applySuggestions(github, head.sha, suggestions);
  if (tree === undefined) return refuseWith(github, unprocessableError('This suggestion does not change the file.'));
  const message = createSuggestionMessage(github, account, suggestions);
  const author = createGitSignature(github, account, now);
  const sha = putWebFlowCommit(github, { tree, parents: [head.sha], message, author }, now);
  return pushSuggestions(github, { located, source, input, suggestions, sha }, now);
};

type SuggestionPush = {
  readonly located: LocatedPull;
  readonly source: FakeRepository;
  readonly input: CommitSuggestionInput;
  readonly suggestions: readonly ApplicableSuggestion[];
  readonly sha: Sha;
};

function pushSuggestions(
  github: GitHubState,
  { located, source, input, suggestions, sha }: SuggestionPush,
  now: number,
): OperationResult<Sha> {
  const { head } = located.pull;
  const refUpdate = { ref: `refs/heads/${head.branch}`, before: head.sha, after: sha };
  const refusal = checkPushRules(github, source, input.actor, refUpdate);
  if (refusal !== undefined) return refuseWith(github, refusal);
  const about = { repositoryId: source.id, number: input.number, after: sha };
  const committed = withAuditEntry(github, 'commit-created', input.actor, now, about);
  const pushed = applyRefUpdate(committed, source, input.actor, refUpdate, now);
  let { state } = pushed;
  let events = pushed.events;
  for (const { thread } of suggestions) {
    const resolved = resolveReviewThread(state, { actor: input.actor, threadNodeId: thread.nodeId }, now);
    state = resolved.state;
    if (input.resolves !== 'silently') events = [...events, ...resolved.events];
  }
  return succeedWith(state, sha, events);
}

function resolveSuggestions(
  { repository, pull }: LocatedPull,
  source: FakeRepository,
  { actor, commentIds }: CommitSuggestionInput,
): readonly ApplicableSuggestion[] | ApiError {
  const isMaintainer = pull.maintainerCanModify && canPush(repository, actor.accountId);
  if (!canPush(source, actor.accountId) && !isMaintainer) return ADMIN_RIGHTS_ERROR;
  if (pull.state === 'closed')
    return unprocessableError('Suggestions cannot be applied while the pull request is closed.');
  const checked = commentIds.map((id) => resolveSuggestion(pull, id));
  const problem = checked.find((one) => typeof one === 'string');
  if (problem !== undefined) return unprocessableError(problem);
  const suggestions = checked.filter((one) => typeof one !== 'string');
  if (suggestions.length === 0) return NOT_FOUND_ERROR;
  return hasOverlap(suggestions)
    ? unprocessableError('Only one suggestion per line can be applied in a batch.')
    : suggestions;
}

/** Returns the tree with all suggestions applied; undefined when one of them changes nothing. */
function applySuggestions(
  github: GitHubState,
  head: Sha,
  suggestions: readonly ApplicableSuggestion[],
): Sha | undefined {
  const base = readGitCommit(github.store, head)?.tree ?? '';
  const changes = new Map<string, TreeObjectEntry>();
  for (const [path, fileSuggestions] of Map.groupBy(suggestions, ({ thread }) => thread.path)) {
    const entry = findTreeEntry(github.store, base, path);
    const before = entry === undefined ? undefined : readBlob(github.store, entry.sha);
    if (entry === undefined || before === undefined) return undefined;
    const replacements = fileSuggestions.map(({ replacement }) => replacement);
    const after = replaceLines(before, replacements);
    const changesEach = replacements.every((one) => !Buffer.from(replaceLines(before, [one])).equals(before));
    if (!changesEach) return undefined;
    changes.set(path, { mode: entry.mode, sha: putBlob(github.store, after) });
  }
  return updateTree(github.store, base, changes);
}

/** A suggestion that can be applied, with its lines at the head. */
type ApplicableSuggestion = {
  readonly comment: FakeReviewComment;
  readonly thread: FakeReviewThread;
  readonly replacement: NewLines;
};

/** Returns the suggestion in a comment, or the reason why it cannot be applied. */
function resolveSuggestion(pull: FakePullRequest, commentId: number): ApplicableSuggestion | string {
  const comment = pull.reviewComments.get(commentId);
  const thread = comment === undefined ? undefined : pull.threads.get(comment.threadId);
  const lines = comment === undefined ? undefined : parseSuggestionBlock(comment.body);
  if (comment === undefined || thread === undefined || lines === undefined) return 'There is no suggestion to apply.';
  if (pull.reviews.get(comment.reviewId)?.state === 'PENDING')
    return 'Suggestions cannot be applied from pending reviews.';
  if (thread.resolvedById !== null) return 'This suggestion has been applied or marked resolved.';
  if (thread.location.kind === 'file') return 'Applying suggestions on files is not supported.';
  const anchor = thread.location.current;
  if (anchor === null) return 'Outdated suggestions cannot be applied.';
  if (anchor.side === 'LEFT' || anchor.startSide === 'LEFT')
    return 'Applying suggestions on deleted lines is not supported.';
  return { comment, thread, replacement: { start: anchor.startLine ?? anchor.line, end: anchor.line, lines } };
}

/** Whether two suggestions replace the same line. */
function hasOverlap(suggestions: readonly ApplicableSuggestion[]): boolean {
  return suggestions.some((one, index) =>
    suggestions
      .slice(index + 1)
      .some(
        (other) =>
          one.thread.path === other.thread.path &&
          one.replacement.start <= other.replacement.end &&
          other.replacement.start <= one.replacement.end,
      ),
  );
}

/**
 * Returns the lines of the first suggestion block; undefined if there is none. A suggestion block is a code fence with the
 * info string `suggestion`. No lines mean a deletion. CRLF counts as a line break.
 */
export function parseSuggestionBlock(body: string): readonly string[] | undefined {
  let open: CodeFence | undefined;
  let lines: string[] = [];
  for (const line of body.replaceAll('\r\n', '\n').split('\n')) {
    if (open === undefined) {
      open = parseOpeningFence(line);
      lines = [];
    } else if (isClosingFence(open, line)) {
      if (open.info === 'suggestion') return lines;
      open = undefined;
    } else {
      lines.push(removeIndent(line, open.indent));
    }
  }
  return open?.info === 'suggestion' ? lines : undefined;
}

type CodeFence = { readonly mark: string; readonly length: number; readonly indent: number; readonly info: string };

function parseOpeningFence(line: string): CodeFence | undefined {
  const match = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(line);
  const [indent = '', marks = '', rest = ''] = match?.slice(1) ?? [];
  const mark = marks.charAt(0);
  if (match === null || (mark === '`' && rest.includes('`'))) return undefined;
  return { mark, length: marks.length, indent: indent.length, info: rest.trim() };
}

function isClosingFence({ mark, length }: CodeFence, line: string): boolean {
  const match = /^ {0,3}(`+|~+)[ \t]*$/.exec(line);
  const marks = match?.[1] ?? '';
  return marks.startsWith(mark) && marks.length >= length;
}

/** Markdown removes the indentation of the opening fence from each line. */
function removeIndent(line: string, indent: number): string {
  let start = 0;
  while (start < indent && line.charAt(start) === ' ') start += 1;
  return line.slice(start);
}

/** The new content of lines `start` to `end`, 1-based and inclusive. */
type NewLines = { readonly start: number; readonly end: number; readonly lines: readonly string[] };

/** Replaces ranges that do not overlap. All other bytes stay the same, and a final newline stays missing. */
export function replaceLines(bytes: Uint8Array, replacements: readonly NewLines[]): Uint8Array {
  // Latin-1 maps each byte to one character, so invalid UTF-8 is preserved.
  const rows = Buffer.from(bytes).toString('latin1').split('\n');
  for (const { start, end, lines } of replacements.toSorted((left, right) => right.start - left.start)) {
    const row = lines.map((line) => Buffer.from(line, 'utf8').toString('latin1'));
    rows.splice(start - 1, end - start + 1, ...row);
  }
  return Buffer.from(rows.join('\n'), 'latin1');
}

/** Adds a trailer for each author of a suggestion, except the person who commits. */
function createSuggestionMessage(
  github: GitHubState,
  committer: FakeAccount,
  suggestions: readonly ApplicableSuggestion[],
): string {
  const ids = new Set(suggestions.map(({ comment }) => comment.authorId));
  const suggesters = [...ids].flatMap((id) => findAccountById(github, id) ?? []);
  const trailers = suggesters
    .filter(({ id }) => id !== committer.id)
    .map((account) => `Co-authored-by: ${account.login} <${noreplyAddress(github, account)}>`);
  return [createSubject(suggestions.length, suggesters), ...(trailers.length === 0 ? [] : ['', ...trailers])].join(
    '\n',
  );
}

function createSubject(count: number, suggesters: readonly FakeAccount[]): string {
  if (count > 1) return 'Apply suggestions from code review';
  return `Apply suggestion from @${suggesters[0]?.login ?? 'ghost'}`;
}
