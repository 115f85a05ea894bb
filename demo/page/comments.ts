import type { FakeReaction, FakeReactionContent } from '../../fakes/github/state/github-state.ts';
import { parseSuggestionBlock } from '../../fakes/people/commit-suggestion.ts';
import { type CommentedLines, readCommentedLines } from '../pull-request.ts';
import { patchRows, unifiedTable } from './code-view.ts';
import { type Html, html } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import type { PullView } from './pull-view.ts';
import type { Thread } from './timeline.ts';

export const REACTIONS = {
  '+1': '👍',
  '-1': '👎',
  laugh: '😄',
  hooray: '🎉',
  confused: '😕',
  heart: '❤️',
  rocket: '🚀',
  eyes: '👀',
} as const satisfies Record<FakeReactionContent, string>;

/** A comment of the conversation, of a review, or of a thread. */
export type ShownComment = {
  readonly place: 'conversation' | 'review' | 'thread';
  readonly id: number;
  readonly authorId: number | null;
  readonly body: string;
  readonly at: string;
  readonly isEdited?: boolean;
  readonly reactions: readonly FakeReaction[];
  readonly anchor?: CommentedLines | null;
};

export function loginOf({ github }: PullView, id: number | null): string {
  return github.accounts.get(id ?? 0)?.login ?? 'ghost';
}

export function avatar(login: string): Html {
  return html`<span class="avatar avatar-${login.replace(/\W.*/, '')}" aria-hidden="true">${login.charAt(0).toUpperCase()}</span>`;
}

export function author(login: string): Html {
  const name = login.replace(/\[bot\]$/, '');
  return html`<strong class="author">${name}</strong>${name !== login && html` <span class="badge">bot</span>`}`;
}

export function time(at: string): Html {
  return html`<time datetime="${at}">${at.slice(11, 19)}</time>`;
}

/** A form that does something as the person who acts now. */
export function actionForm(
  view: PullView,
  kind: string,
  fields: Readonly<Record<string, string | number>>,
  content: Html,
): Html {
  const given = { pull: view.play.name, kind, ...fields };
  return html`<form method="post" action="/act" class="act-${kind}">${Object.entries(given).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${content}</form>`;
}

function reactionBar(view: PullView, { place, id, reactions }: ShownComment): Html | null {
  if (place === 'review') return null;
  const shown = Object.entries(REACTIONS).flatMap(([content, emoji]) => {
    const people = reactions.filter((one) => one.content === content).map(({ authorId }) => loginOf(view, authorId));
    return people.length === 0
      ? []
      : [html`<span class="reaction" title="${people.join(', ')}">${emoji} ${people.length}</span>`];
  });
  const choices = Object.entries(REACTIONS).map(
    ([content, emoji]) =>
      html`<button class="emoji" name="content" value="${content}" aria-label="React with ${content}">${emoji}</button>`,
  );
  return html`<div class="reactions">${shown}<details class="menu"><summary aria-label="Add a reaction">☺</summary><div class="menu-list emoji-list">${actionForm(view, 'react', { place, id }, html`${choices}`)}</div></details></div>`;
}

function menu(view: PullView, comment: ShownComment): Html | null {
  const { place, id, authorId, body } = comment;
  if (authorId !== view.actor.id && !view.canPush) return null;
  const edit = actionForm(
    view,
    'edit',
    { place, id },
    html`<label class="hidden" for="edit-${place}-${id}">Edit the comment</label><textarea id="edit-${place}-${id}" name="body" rows="6">${body}</textarea><button class="button">Save</button>`,
  );
  const remove =
    place !== 'review' &&
    actionForm(view, 'delete', { place, id }, html`<button class="button danger">Delete</button>`);
  return html`<details class="menu edit-menu"><summary aria-label="Edit or delete the comment">⋯</summary><div class="menu-list wide">${edit}${remove}</div></details>`;
}

export function renderComment(view: PullView, comment: ShownComment): Html {
  const login = loginOf(view, comment.authorId);
  const isApp = comment.authorId === view.botId;
  const context = { webUrl: view.github.host.webUrl, anchor: comment.anchor ?? null };
  const prefix = { conversation: 'issuecomment-', review: 'pullrequestreview-', thread: 'discussion_r' }[comment.place];
  return html`<article class="comment${isApp && ' by-app'}" id="${prefix}${comment.id}">
<header>${avatar(login)} ${author(login)} <span class="when">${time(comment.at)}${comment.isEdited === true && ' · edited'}</span>${menu(view, comment)}</header>
<div class="markdown-body">${comment.body === '' ? html`<p><em>No description.</em></p>` : renderMarkdown(comment.body, context)}</div>
${commitButton(view, comment)}${reactionBar(view, comment)}</article>`;
}

/** GitHub's own button, where a suggestion fits the head. */
function commitButton(view: PullView, { place, id, body, anchor }: ShownComment): Html | null {
  const thread = view.pull.threads.get(view.pull.reviewComments.get(id)?.threadId ?? 0);
  if (place !== 'thread' || anchor === undefined || anchor === null || thread === undefined) return null;
  if (parseSuggestionBlock(body) === undefined || thread.resolvedById !== null) return null;
  const isOutdated = thread.location.kind === 'file' || thread.location.current === null;
  if (isOutdated) return html`<p class="hint">This suggestion is outdated, so GitHub does not offer to commit it.</p>`;
  const reason = view.canPush ? '' : 'Only people with write access can commit a suggestion.';
  return actionForm(
    view,
    'commit-suggestion',
    { id },
    html`<button class="button" title="${reason}"${reason !== '' && ' disabled'}>Commit suggestion</button>`,
  );
}

/** The lines above a thread that GitHub shows, besides those that it is about. */
const LINES_ABOVE = 3;

function hunkOf({ thread }: Thread): Html | null {
  if (thread.location.kind === 'file') return null;
  const { original } = thread.location;
  const [header = '', ...lines] = thread.diffHunk.split('\n');
  const rows = patchRows(lines, header, thread.path);
  const count = LINES_ABOVE + 1 + original.line - (original.startLine ?? original.line);
  return html`<table class="diff">${unifiedTable(rows.slice(-count))}</table>`;
}

/** A review thread with its lines, its comments and a box to reply. */
export function renderThread(view: PullView, shown: Thread, withHunk: boolean): Html {
  const { thread, comments } = shown;
  const anchor = readCommentedLines(view.session.github, view.pull, thread.id);
  const isResolved = thread.resolvedById !== null;
  const isOutdated = thread.location.kind === 'lines' && thread.location.current === null;
  const [first] = comments;
  const content = html`${withHunk && hunkOf(shown)}${comments.map((comment) =>
    renderComment(view, {
      ...{ place: 'thread', id: comment.id, authorId: comment.authorId, body: comment.body, at: comment.createdAt },
      ...{ isEdited: comment.updatedAt !== comment.createdAt, reactions: comment.reactions, anchor },
    }),
  )}<div class="thread-foot">${
    first !== undefined &&
    actionForm(
      view,
      'reply',
      { id: first.id },
      html`<label class="hidden" for="reply-${thread.id}">Reply</label><textarea id="reply-${thread.id}" name="body" rows="1" placeholder="Reply…" required></textarea><button class="button primary">Reply</button>`,
    )
  }${actionForm(view, isResolved ? 'unresolve' : 'resolve', { thread: thread.nodeId }, html`<button class="button">${isResolved ? 'Unresolve' : 'Resolve'} conversation</button>`)}</div>`;
  const title = html`<span class="path">${thread.path}</span>${isOutdated && html` <span class="badge">Outdated</span>`}`;
  if (!isResolved)
    return html`<section class="thread" id="thread-${thread.id}"><div class="thread-title">${title}</div>${content}</section>`;
  return html`<details class="thread resolved" id="thread-${thread.id}"><summary class="thread-title">${title} <span class="badge good">✓ Resolved</span> <span class="when">${statusOf(first?.body ?? '')}</span></summary>${content}</details>`;
}

/** The line of a change's page that says how it ended. */
export function statusOf(body: string): string {
  const line =
    body.split('\n').find((one) => /^\*\*[^*]+\*\*/.test(one) && !/^\*\*(?:Edit|Write|Change)/.test(one)) ?? '';
  return line.replaceAll(/\*\*|`/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
