import { readBlobText, readGitCommit } from '../../fakes/github/git/objects.ts';
import {
  computeFileDiff,
  diffCommits,
  listPullCommits,
  listPullFileDiffs,
  type TreeFileDiff,
} from '../../fakes/github/state/commits.ts';
import type { FakeReview, FakeReviewState } from '../../fakes/github/state/github-state.ts';
import { renderChecks } from './checks.ts';
import { colorLines, type DiffRow, patchRows, splitTable, unifiedTable } from './code-view.ts';
import { actionForm, author, avatar, loginOf, renderComment, renderThread, time } from './comments.ts';
import { type Html, html } from './html.ts';
import { addressOf, type PullView } from './pull-view.ts';
import { listThreads, listTimeline, type Thread, type TimelineEntry } from './timeline.ts';
import type { Verdict, Verdicts } from './verdicts.ts';

/** The tab *Conversation*. */
export function renderConversation(view: PullView): Html {
  const { pull } = view;
  const { id, authorId, createdAt: at } = pull;
  const opening = renderComment(view, { place: 'review', id, authorId, body: pull.body ?? '', at, reactions: [] });
  const entries = listTimeline(view.github, view.play, pull).map((entry) => renderEntry(view, entry));
  return html`${opening}${entries}${renderChecks(view)}${renderCommentBox(view)}`;
}

const REVIEW_WORDS: Readonly<Record<FakeReviewState, string>> = {
  PENDING: 'started a review',
  COMMENTED: 'reviewed',
  APPROVED: 'approved these changes',
  CHANGES_REQUESTED: 'requested changes',
  DISMISSED: 'reviewed; the review was dismissed',
};

function renderEntry(view: PullView, entry: TimelineEntry): Html {
  switch (entry.kind) {
    case 'comment': {
      const { id, authorId, body, createdAt, updatedAt, reactions } = entry.comment;
      const isEdited = updatedAt !== createdAt;
      return renderComment(view, { place: 'conversation', id, authorId, body, at: createdAt, isEdited, reactions });
    }
    case 'review':
      return renderReview(view, entry.review, entry.threads);
    case 'commits': {
      const login = loginOf(view, entry.actorId);
      return html`<div class="event">${avatar(login)} ${author(login)} pushed${entry.shas.map((sha) => {
        const subject = readGitCommit(view.github.store, sha)?.message.split('\n')[0] ?? '';
        return html`<div class="event-commit"><a href="${addressOf(view, { tab: 'commits' })}#${sha}">${subject}</a> <code>${sha.slice(0, 7)}</code></div>`;
      })}</div>`;
    }
  }
}

function renderReview(view: PullView, review: FakeReview, threads: readonly Thread[]): Html {
  const { id, authorId, body, state, submittedAt, updatedAt } = review;
  const login = loginOf(view, authorId);
  const at = submittedAt ?? updatedAt;
  return html`<div class="event review-${state.toLowerCase()}">${avatar(login)} ${author(login)} ${REVIEW_WORDS[state]} <span class="when">${time(at)}</span></div>
<div class="review">${body !== '' && renderComment(view, { place: 'review', id, authorId, body, at, reactions: [] })}${threads.map((thread) => renderThread(view, thread, true))}</div>`;
}

function renderCommentBox(view: PullView): Html {
  const { login } = view.actor;
  const verbs = { COMMENT: 'Submit review', APPROVE: 'Approve', REQUEST_CHANGES: 'Request changes' };
  return html`<div class="comment-box">${actionForm(
    view,
    'comment',
    {},
    html`<label for="new-comment">${avatar(login)} Comment as <strong>${login}</strong></label><textarea id="new-comment" name="body" rows="3" placeholder="Try /countersign <task>, /approve <id>, /deny <id> reason, /status or /help" required></textarea><button class="button primary">Comment</button>`,
  )}<details class="menu review-menu"><summary class="button">Review changes</summary><div class="menu-list wide">${actionForm(
    view,
    'review',
    {},
    html`<label for="new-review">Review as <strong>${login}</strong></label><textarea id="new-review" name="body" rows="3" placeholder="Leave a comment"></textarea>${Object.entries(verbs).map(([event, words]) => html`<button class="button" name="event" value="${event}">${words}</button>`)}`,
  )}</div></details></div>`;
}

/** The tab *Files changed*. */
export function renderFiles(view: PullView): Html {
  const files = listPullFileDiffs(view.github.store, view.pull);
  const threads = listThreads(view.pull);
  const other = addressOf(view, { isSplit: !view.isSplit });
  return html`<div class="files-bar">${files.length} files changed <a class="button" href="${other}">${view.isSplit ? 'Unified' : 'Split'} view</a></div>${files.map(
    (file) =>
      renderFile(
        view,
        file,
        threads.filter(({ thread }) => thread.path === file.change.path),
      ),
  )}${renderCommentBox(view)}`;
}

function renderFile(view: PullView, file: TreeFileDiff, threads: readonly Thread[]): Html {
  const below = (row: DiffRow): Html | null => {
    const here = threads.filter(({ thread }) => {
      const current = thread.location.kind === 'lines' ? thread.location.current : null;
      return current !== null && current.line === (current.side === 'RIGHT' ? row.after : row.before);
    });
    if (here.length === 0) return null;
    const columns = view.isSplit ? 4 : 3;
    return html`<tr class="thread-row"><td colspan="${columns}">${here.map((thread) => renderThread(view, thread, false))}</td></tr>`;
  };
  return html`${renderFileDiff(view, file, below, view.isSplit)}${file.patch.hunks.length > 0 && renderLineComment(view, file)}`;
}

function renderFileDiff(
  view: PullView,
  { change, patch }: TreeFileDiff,
  below: (row: DiffRow) => Html | null,
  isSplit: boolean,
): Html {
  const { store } = view.github;
  const before = colorLines(readBlobText(store, 'before' in change ? change.before.sha : undefined), change.path);
  const after = colorLines(readBlobText(store, 'after' in change ? change.after.sha : undefined), change.path);
  const tables = patch.hunks.map((hunk) => {
    const header = `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
    const rows = patchRows(hunk.lines, header, change.path).map((row) => ({
      ...row,
      // Whole files are colored better than parts of them; a marked row keeps its mark.
      code: row.code.markup.includes('<mark>')
        ? row.code
        : ((row.after === null ? before[row.before === null ? -1 : row.before - 1] : after[row.after - 1]) ?? row.code),
    }));
    return html`<tr class="diff-hunk"><td colspan="4">${header}</td></tr>${isSplit ? splitTable(rows, below) : unifiedTable(rows, below)}`;
  });
  return html`<section class="file"><div class="file-title"><span class="path">${change.path}</span> <span class="count"><span class="plus">+${patch.additions}</span> <span class="minus">−${patch.deletions}</span></span></div>${
    tables.length === 0
      ? html`<p class="hint">No text to show.</p>`
      : html`<table class="diff${isSplit && ' split'}">${isSplit && html`<col><col><col><col>`}${tables}</table>`
  }</section>`;
}

/** GitHub takes comments on the lines that the diff shows. */
function renderLineComment(view: PullView, { change, patch }: TreeFileDiff): Html {
  const options = patch.hunks.flatMap(({ lines, newStart }) =>
    lines
      .filter((line) => /^[ +]/.test(line))
      .map((line, index) => html`<option value="${newStart + index}">${newStart + index} ${line.slice(1)}</option>`),
  );
  return html`<details class="line-comment"><summary>Comment on a line</summary>${actionForm(
    view,
    'comment-line',
    { path: change.path },
    html`<select name="line" aria-label="Line">${options}</select><textarea name="body" rows="3" aria-label="Comment on the line" placeholder="A comment, or your own lines in a suggestion block" required></textarea><button class="button primary">Comment</button>`,
  )}</details>`;
}

/** The tab *Commits*: trailers, and what `verify` says from git alone. */
export function renderCommits(view: PullView, verdicts: Verdicts): Html {
  const { store } = view.github;
  const commits = listPullCommits(store, view.pull);
  const command = `countersign verify ${view.play.firstHead.slice(0, 7)}..${view.play.branch}`;
  return html`<p class="hint">What <code>${command}</code> says, from git objects alone: no network, no database.</p>${commits.map(
    (sha) => {
      const commit = readGitCommit(store, sha);
      if (commit === undefined) return null;
      const [subject = '', ...rest] = commit.message.trimEnd().split('\n');
      return html`<article class="commit" id="${sha}"><header>${avatar(commit.author.name)} <strong>${subject}</strong> <code>${sha.slice(0, 7)}</code></header>
<p class="when">${author(commit.author.name)} wrote it; ${commit.committer.name} committed it</p>${rest.length > 0 && html`<pre class="trailers">${rest.join('\n').trim()}</pre>`}
${renderVerdict(verdicts, sha, commit.author.name, commit.committer.name)}<details><summary>Diff</summary>${diffCommits(
        store,
        commit.parents[0] ?? '',
        sha,
      ).map((change) => renderFileDiff(view, computeFileDiff(store, change), () => null, false))}</details></article>`;
    },
  )}`;
}

function renderVerdict(verdicts: Verdicts, sha: string, name: string, committer: string): Html {
  if (verdicts.kind === 'checking') return html`<p class="verdict">Checking with git …</p>`;
  if (verdicts.kind === 'failed') return html`<p class="verdict bad">✗ ${verdicts.problem}</p>`;
  const own = verdicts.rows.filter(({ commit }) => commit === sha);
  if (own.length > 0) return html`${own.map(renderRow)}`;
  const why =
    committer === 'GitHub'
      ? `GitHub made this commit when ${name} pressed Commit suggestion: it is in ${name}’s name, and has no Approved-by to verify.`
      : `${name}’s own commit: nothing in it is in the agent’s name, so there is nothing to verify.`;
  return html`<p class="verdict">${why}</p>`;
}

function renderRow({ proposal, path, digest, approvedBy, result, problem }: Verdict): Html {
  const what = `${proposal ?? 'no change'} ${path ?? ''} · ${digest?.slice(0, 12) ?? ''}`;
  if (result === 'ok')
    return html`<p class="verdict good">✓ verified: exactly the bytes that ${approvedBy.join(' and ')} approved <span class="when">${what}</span></p>`;
  return html`<p class="verdict bad">✗ ${result}: ${problem ?? ''} <span class="when">${what}</span></p>`;
}
