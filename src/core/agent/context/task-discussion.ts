import { redactDiff } from '../../../lib/redaction.ts';
import { byteLength } from '../../edits/text/characters.ts';
import { findReadDenyRule } from '../../policy/path-tables.ts';
import type { Task } from '../../state/run.ts';
import type { PathRules } from '../../state/settings.ts';
import {
  CONTEXT_LIMITS,
  type CommentedLines,
  type CommentRelation,
  type ContextComment,
  type TaskDiscussion,
} from '../../state/task-context.ts';
import type { Person } from '../../state/vote.ts';
import type { PullComment, PullRequestFile } from '../../step/ports.ts';
import { cutText, excerptOf, isBareCommand } from '../shared/clean-text.ts';
import { escapeDiff } from './diff-excerpt.ts';
import { hasReadableHunks } from './pull-summary.ts';

/**
 * A comment that the task might mean, and why it would be shown. Several can hold the quoted text; all but one of them
 * then have their `relationUnquoted`.
 */
export type CandidateComment = {
  readonly comment: PullComment;
  readonly relation: CommentRelation;
  readonly relationUnquoted: CommentRelation;
};

/**
 * The comments around a task that were there when it was written, newest first. Those that the task points to come
 * first of all. Of the App's own comments only the words that the task quotes count: their pages have lines of files,
 * and the rules of now can hide these.
 */
export function findCandidates(
  task: Task,
  comments: readonly PullComment[],
  ownLogin: string,
): readonly CandidateComment[] {
  const before = comments.filter((comment) => isBefore(task, comment));
  const holdsQuote = quoteMatcher(task.quote);
  const candidates = before.map((comment): CandidateComment => {
    const relation = isOwn(comment, ownLogin) ? 'earlier' : relationOf(task, comment);
    return { comment, relation: holdsQuote(comment.body) ? 'quoted' : relation, relationUnquoted: relation };
  });
  const telling = candidates.filter(
    ({ relation, comment }) =>
      relation === 'quoted' ||
      (!isOwn(comment, ownLogin) && (relation === 'replied-to' || !isBareCommand(comment.body))),
  );
  return telling.toReversed().sort((left, right) => PLACE_OF[left.relation] - PLACE_OF[right.relation]);
}

function isOwn({ author }: PullComment, ownLogin: string): boolean {
  return author?.login === `${ownLogin}[bot]`;
}

const PLACE_OF: Readonly<Record<CommentRelation, number>> = {
  quoted: 0,
  'replied-to': 1,
  'author-named': 2,
  'of-this-review': 3,
  earlier: 3,
};

/** The task's own comment is not part of its surroundings. */
function isBefore({ location, requestedAt }: Task, { id, createdAt }: PullComment): boolean {
  const ownId = location.at === 'review' ? null : location.commentId;
  return id !== ownId && (location.at === 'review' || Date.parse(createdAt) <= Date.parse(requestedAt));
}

function relationOf(task: Task, comment: PullComment): CommentRelation {
  const { location } = task;
  if (location.at === 'review') return 'of-this-review';
  if (location.at === 'thread' && comment.id === location.rootId) return 'replied-to';
  return namesLogin(task.text, comment.author?.login ?? '') ? 'author-named' : 'earlier';
}

/** Whether a task names an account. A name counts with its @ only, because a login can be any word. */
export function namesLogin(text: string, login: string): boolean {
  return login !== '' && namesIn(text).includes(login.toLowerCase().replace(/\[bot\]$/, ''));
}

function namesIn(text: string): readonly string[] {
  return [...text.toLowerCase().matchAll(/(?<![\w@/])@([a-z0-9][a-z0-9-]{0,99})/g)].map(([, name = '']) => name);
}

const COMMENT_WORDS =
  /\b(?:comment(?:s|ed)?|above|below|said|says|wrote|discuss(?:ed|ion)|conversation|thread|suggest(?:s|ed|ion|ions)?|feedback|proposed)\b/i;

/** Whether a task in the conversation can mean another comment there. Otherwise none is read. */
export function pointsToComments({ text, quote }: Pick<Task, 'text' | 'quote'>): boolean {
  return quote !== null || COMMENT_WORDS.test(text) || namesIn(text).length > 0;
}

/** Shorter quotes must be the whole comment, because they occur by chance. */
const MIN_QUOTED_CHARACTERS = 12;

/** Tells whether a text contains the quoted one. Programs quote Markdown in different ways. */
function quoteMatcher(quote: string | null): (body: string) => boolean {
  const wanted = plainText(quote ?? '');
  return (body) => {
    const text = plainText(body);
    return wanted !== '' && (wanted.length < MIN_QUOTED_CHARACTERS ? text === wanted : text.includes(wanted));
  };
}

/**
 * The candidates with at most one quoted comment: the oldest one of a person who may decide, or else the oldest one.
 * Everybody can repeat words and add others to them.
 */
function chooseQuoted(
  candidates: readonly CandidateComment[],
  permitted: ReadonlySet<Person['id']>,
): readonly CandidateComment[] {
  const holding = candidates
    .filter(({ relation }) => relation === 'quoted')
    .toSorted((left, right) => left.comment.id - right.comment.id);
  const chosen = holding.find(({ comment }) => isPermitted(comment, permitted)) ?? holding[0];
  const resolved = candidates.map((candidate) =>
    candidate === chosen ? candidate : { ...candidate, relation: candidate.relationUnquoted },
  );
  return resolved.toSorted((left, right) => PLACE_OF[left.relation] - PLACE_OF[right.relation]);
}

function plainText(markdown: string): string {
  return markdown.replace(/[\s*_`~>#\\-]+/g, '').toLowerCase();
}

/**
 * Whether a comment can be shown, given whether its author may decide. Words of others and of bots are shown only where
 * the task points to them, and only as they were when it was written.
 */
function isShown({ comment, relation }: CandidateComment, mayDecide: boolean, task: Task): boolean {
  if (mayDecide) return true;
  const isChangedSince = Date.parse(comment.updatedAt) > Date.parse(task.requestedAt);
  return relation !== 'earlier' && relation !== 'of-this-review' && !isChangedSince;
}

/** The comments that fit, of those to show; `permitted` is the set of authors who may decide. */
export function selectComments(
  task: Task,
  candidates: readonly CandidateComment[],
  permitted: ReadonlySet<Person['id']>,
): TaskDiscussion {
  const { commentCount, comments: maxBytes } = CONTEXT_LIMITS;
  const chosen: { readonly id: number; readonly shown: ContextComment }[] = [];
  let remaining: number = maxBytes;
  for (const candidate of chooseQuoted(candidates, permitted)) {
    const mayDecide = isPermitted(candidate.comment, permitted);
    if (chosen.length >= commentCount || !isShown(candidate, mayDecide, task)) continue;
    const shown = toContextComment(candidate, mayDecide, task);
    const bytes = byteLength(shown.text) + byteLength(shown.lines?.hunk ?? '');
    if (bytes > remaining) continue;
    remaining -= bytes;
    chosen.push({ id: candidate.comment.id, shown });
  }
  const comments = chosen.toSorted((left, right) => left.id - right.id).map(({ shown }) => shown);
  return { comments, omitted: candidates.length - chosen.length };
}

/** Words that an App wrote in a person's name are not that person's. */
export function isPermitted({ author, isAutomated }: PullComment, permitted: ReadonlySet<Person['id']>): boolean {
  return author !== null && !isAutomated && permitted.has(author.id);
}

function toContextComment(
  { comment, relation }: CandidateComment,
  mayDecide: boolean,
  { quote }: Task,
): ContextComment {
  const { author, body, lines } = comment;
  // The task points to no other words of a stranger's comment than those that it quotes.
  const text =
    relation === 'quoted' && !mayDecide
      ? excerptOf(quote ?? '', CONTEXT_LIMITS.quote)
      : excerptOf(body, CONTEXT_LIMITS.comment);
  // Only the comments of a review are each about other lines.
  const shownLines =
    relation === 'of-this-review' && lines !== null ? boundLines(lines, CONTEXT_LIMITS.inlineHunkLineCount) : null;
  return { author, mayDecide, relation, text, lines: shownLines };
}

/**
 * The comments without those hunks that can have lines of a file that may not be shown. `files` is null if they could
 * not be read.
 */
export function hideUnreadableHunks(
  comments: readonly PullComment[],
  files: readonly PullRequestFile[] | null,
  rules: PathRules,
): readonly PullComment[] {
  return comments.map((comment) => {
    const { lines } = comment;
    return lines === null || hasReadableHunks(lines.path, files, rules)
      ? comment
      : { ...comment, lines: { ...lines, hunk: null } };
  });
}

/** Lines above the shown ones in which a secret can begin. */
const REDACTED_LINES_ABOVE = 200;

/** The end of a hunk, where the commented lines are, without secrets; without a hunk if no tool reads the file. */
export function boundLines(lines: CommentedLines, maxLines: number): CommentedLines {
  if (lines.hunk === null || findReadDenyRule(lines.path) !== null) return { ...lines, hunk: null };
  const near = fittingEnd(lastLines(lines.hunk, maxLines + REDACTED_LINES_ABOVE));
  const shown = lastLines(escapeDiff(redactDiff(near)), maxLines);
  while (shown.length > 1 && byteLength(shown.join('\n')) > CONTEXT_LIMITS.hunk) shown.shift();
  return { ...lines, hunk: cutText(shown.join('\n'), CONTEXT_LIMITS.hunk) };
}

/** Characters of a hunk that are searched for secrets, which takes time. */
const MAX_SEARCHED_CHARACTERS = 32_000;

/** The last whole lines that fit; the start of the last one if it is longer, because a secret is known by its start. */
function fittingEnd(lines: readonly string[]): string {
  const last = lines.at(-1) ?? '';
  let from = lines.length - 1;
  let length = last.length;
  for (; from > 0; from -= 1) {
    length += (lines[from - 1] ?? '').length + 1;
    if (length > MAX_SEARCHED_CHARACTERS) break;
  }
  return lines.slice(Math.max(0, from)).join('\n').slice(0, MAX_SEARCHED_CHARACTERS);
}

function lastLines(text: string, count: number): string[] {
  return text.replace(/\n$/, '').split('\n').slice(-count);
}
