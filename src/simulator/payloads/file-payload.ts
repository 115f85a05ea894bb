import type { Sha } from '../git/object-store.ts';
import type { FileDiff } from '../world/pull-diff.ts';
import type { Repository, World } from '../world/state.ts';
import type { Json } from './json.ts';
import { apiUrl, pageUrl } from './urls.ts';

/** A changed file of a pull request, a commit or a comparison; `head` is the commit its links open. */
export function filePayload(world: World, repository: Repository, head: Sha, { change, patch }: FileDiff): Json {
  const path = change.path.split('/').map(encodeURIComponent).join('/');
  const page = pageUrl(world, repository);
  return {
    sha: change.status === 'removed' ? change.before.sha : change.after.sha,
    filename: change.path,
    status: change.status,
    additions: patch.additions,
    deletions: patch.deletions,
    changes: patch.additions + patch.deletions,
    blob_url: `${page}/blob/${head}/${path}`,
    raw_url: `${page}/raw/${head}/${path}`,
    contents_url: `${apiUrl(world, repository)}/contents/${path}?ref=${head}`,
    ...(patch.text === null ? {} : { patch: patch.text }),
    ...(change.status === 'renamed' ? { previous_filename: change.previousPath } : {}),
  };
}
