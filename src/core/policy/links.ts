import type { LinkedPaths } from '../state/proposal.ts';
import { foldPath } from './paths.ts';

/** A symbolic link of the head. */
export type Link = { readonly path: string; readonly target: string };

/** A link, and the parts of the path in the repository that it leads to; none for the root. */
type ResolvedLink = { readonly path: string; readonly target: readonly string[] };

/** A path, and the links through which it shows a file. */
type Reached = { readonly path: string; readonly through: readonly ResolvedLink[] };

/**
 * The other paths at which a checkout shows these files, by links to them or to directories above them, also through
 * several links. `links` is null if there are too many to read.
 */
export function findLinkedPaths(paths: readonly string[], links: readonly Link[] | null): LinkedPaths {
  const resolved = links === null ? null : resolveLinks(links);
  if (resolved === null) return 'unknown';
  const known = new Set(paths.map(foldPath));
  const found: Reached[] = [];
  const queue = paths.map((path): Reached => ({ path, through: [] }));
  for (const { path, through } of queue) {
    for (const link of resolved) {
      // A link to a directory above itself shows everything below it without an end.
      const linked = through.includes(link) ? null : pathThrough(link, path);
      if (linked === null || known.has(foldPath(linked))) continue;
      if (found.length === MAX_LINKED_PATHS) return 'unknown';
      known.add(foldPath(linked));
      const next = { path: linked, through: [...through, link] };
      found.push(next);
      queue.push(next);
    }
  }
  return found.map(({ path }) => path);
}

const MAX_LINKED_PATHS = 100;

/** The path at which the link shows this file; null if it does not. File systems can ignore case. */
function pathThrough({ path: link, target }: ResolvedLink, path: string): string | null {
  const parts = path.split('/');
  if (!target.every((part, index) => index < parts.length && foldPath(part) === foldPath(parts[index] ?? '')))
    return null;
  return [link, ...parts.slice(target.length)].join('/');
}

/** Those that lead to a place in the repository; null if one leads back out of a directory that is itself a link. */
function resolveLinks(links: readonly Link[]): readonly ResolvedLink[] | null {
  const linkPaths = new Set(links.map(({ path }) => foldPath(path)));
  const resolved: ResolvedLink[] = [];
  for (const { path, target } of links) {
    if (target.startsWith('/')) continue;
    const parts = path.split('/').slice(0, -1);
    let isOutside = false;
    for (const part of target.split('/')) {
      if (part === '' || part === '.') continue;
      if (part !== '..') parts.push(part);
      else if (linkPaths.has(foldPath(parts.join('/')))) return null;
      else isOutside ||= parts.pop() === undefined;
    }
    if (!isOutside) resolved.push({ path, target: parts });
  }
  return resolved;
}
