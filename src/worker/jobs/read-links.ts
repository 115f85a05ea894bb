import type { Link } from '../../core/policy/links.ts';
import { entryKind } from '../../core/policy/paths.ts';
import type { GitHub, Tree } from '../../core/step/ports.ts';

/** Each link is one request, until the process forgets it. */
const MAX_LINKS = 100;

/** Longer than any path that a link can lead to. */
const MAX_TARGET_BYTES = 4_096;

/** The links of a tree; null if there are too many to read. */
export async function readLinks(github: GitHub, tree: Tree): Promise<readonly Link[] | null> {
  const entries = [...tree].filter(([, entry]) => entryKind(entry) === 'link');
  if (entries.length > MAX_LINKS) return null;
  const links: Link[] = [];
  // One after the other, as GitHub asks of its users.
  for (const [path, { sha, size }] of entries) {
    const target = await readTarget(github, sha, size);
    if (target !== null) links.push({ path, target });
  }
  return links;
}

async function readTarget(github: GitHub, sha: string, size: number | null): Promise<string | null> {
  if (size !== null && size > MAX_TARGET_BYTES) return null;
  return new TextDecoder().decode(await github.fetchBlob(sha, size));
}
