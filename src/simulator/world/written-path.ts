import type { Actor } from './access.ts';
import type { World } from './state.ts';

/** Whether git would take a path into a tree: no empty, `.`, `..` or `.git` parts, no leading slash. */
export function isTreePath(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git');
}

/** Whether an App writes a workflow file without the permission that needs; people are not asked. */
export function lacksWorkflowPermission(world: World, actor: Actor, path: string): boolean {
  if (!path.startsWith('.github/workflows/') || actor.viaAppId === null) return false;
  return world.apps.get(actor.viaAppId)?.permissions['workflows'] !== 'write';
}
