import { commitsBetween, mergeBase, walk } from '../git/ancestry.ts';
import { readCommit } from '../git/commit-object.ts';
import type { ObjectStore, Sha } from '../git/object-store.ts';
import { entryAt } from '../git/trees.ts';
import { commitPayload } from '../payloads/commit-payload.ts';
import { filePayload } from '../payloads/file-payload.ts';
import { apiUrl, pageUrl } from '../payloads/urls.ts';
import { changesBetween, fileDiff } from '../world/pull-diff.ts';
import { type Answer, listed, notFound, refused, shown } from './answer.ts';
import { type RepositoryCall, textParam } from './call.ts';
import { commitAt } from './commit-at.ts';
import { cutPage } from './page.ts';

/** Files one commit or comparison shows. */
const MOST_FILES = 300;
/** Commits a comparison shows at once. */
const MOST_COMPARED = 250;

/** `GET commits`: the history of a branch or commit, of one path when asked. Newest first. */
export function listCommits(call: RepositoryCall): Answer {
  const { state, repository, query } = call;
  const start = commitAt(state, repository, query['sha'] ?? repository.defaultBranch);
  if (start === undefined) return notFound(state);
  const { store } = state.world;
  const path = query['path'];
  const shas = [...walk(store, start)].filter((sha) => path === undefined || touches(store, sha, path));
  return listed(
    state,
    shas.map((sha) => commitPayload(state.world, repository, sha)),
  );
}

/** Whether a commit changed what stands at a path, compared with every parent. */
function touches(store: ObjectStore, sha: Sha, path: string): boolean {
  const at = (commit: Sha): string | undefined => {
    const tree = readCommit(store, commit)?.tree;
    const entry = tree === undefined ? undefined : entryAt(store, tree, path);
    return entry === undefined ? undefined : `${entry.mode} ${entry.sha}`;
  };
  const parents = readCommit(store, sha)?.parents ?? [];
  const now = at(sha);
  return parents.length === 0 ? now !== undefined : parents.every((parent) => at(parent) !== now);
}

/** `GET commits/{ref}`: one commit with the files it changed. */
export function showCommit(call: RepositoryCall): Answer {
  const { state, repository } = call;
  const reference = textParam(call, 'ref');
  const sha = commitAt(state, repository, reference);
  if (sha === undefined) return refused(state, 422, `No commit found for SHA: ${reference}`);
  const parent = readCommit(state.world.store, sha)?.parents[0];
  const files = fileViews(call, parent ?? '', sha);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const stats = { total: additions + deletions, additions, deletions };
  return shown(state, { ...commitPayload(state.world, repository, sha), stats, files: files.map((file) => file.view) });
}

/** `GET compare/{base}...{head}`: what the head has on top of the base, from where they parted. */
export function compareCommits(call: RepositoryCall): Answer {
  const { state, repository } = call;
  const { store } = state.world;
  const [base = '', head = ''] = textParam(call, 'basehead').split('...', 2);
  const baseSha = commitAt(state, repository, base);
  const headSha = commitAt(state, repository, head);
  if (baseSha === undefined || headSha === undefined) return notFound(state);
  const fork = mergeBase(store, baseSha, headSha);
  if (fork === undefined) return refused(state, 404, `No common ancestor between ${base} and ${head}.`);
  const page = comparedPage(call, commitsBetween(store, baseSha, headSha));
  const ahead = page.total;
  const behind = commitsBetween(store, headSha, baseSha);
  const view = (sha: Sha) => commitPayload(state.world, repository, sha);
  const answer = shown(state, {
    ...compareLinks(call, base, head),
    base_commit: view(baseSha),
    merge_base_commit: view(fork),
    status: comparison(ahead, behind.length),
    ahead_by: ahead,
    behind_by: behind.length,
    total_commits: ahead,
    commits: page.shas.map(view),
    files: page.first ? fileViews(call, fork, headSha).map((file) => file.view) : [],
  });
  return page.link === undefined ? answer : { ...answer, headers: { link: page.link } };
}

type ComparedPage = {
  readonly shas: readonly Sha[];
  readonly total: number;
  readonly first: boolean;
  readonly link: string | undefined;
};

/** Commits come in pages when a page is asked for, else the first 250; files only with the first page. */
function comparedPage({ state, repository, query, params }: RepositoryCall, all: readonly Sha[]): ComparedPage {
  const total = all.length;
  const paged = 'page' in query || 'per_page' in query;
  if (!paged) return { shas: all.slice(0, MOST_COMPARED), total, first: true, link: undefined };
  const address = `${apiUrl(state.world, repository)}/compare/${params['basehead'] ?? ''}`;
  const { items, link } = cutPage(all, query, address);
  return { shas: items, total, first: (query['page'] ?? '1') === '1', link };
}

function compareLinks({ state, repository }: RepositoryCall, base: string, head: string): object {
  const page = `${pageUrl(state.world, repository)}/compare/${base}...${head}`;
  return {
    url: `${apiUrl(state.world, repository)}/compare/${base}...${head}`,
    html_url: page,
    permalink_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
  };
}

function comparison(ahead: number, behind: number): 'identical' | 'ahead' | 'behind' | 'diverged' {
  if (ahead > 0) return behind > 0 ? 'diverged' : 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}

type FileView = { readonly view: unknown; readonly additions: number; readonly deletions: number };

function fileViews({ state, repository }: RepositoryCall, before: Sha, after: Sha): readonly FileView[] {
  const { world } = state;
  const changes = changesBetween(world.store, before, after).slice(0, MOST_FILES);
  return changes.map((change) => {
    const diff = fileDiff(world.store, change);
    const { additions, deletions } = diff.patch;
    return { view: filePayload(world, repository, after, diff), additions, deletions };
  });
}
