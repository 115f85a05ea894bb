import type { Objects } from '../git/objects.ts';
import { readCommit } from '../simulator/git/commit-object.ts';
import type { ObjectStore } from '../simulator/git/object-store.ts';
import { type Row, verifyCommit } from '../verify/verify-commit.ts';

/** What `countersign verify` says of the commits from `since` (left out) to `head` of a simulated repository. */
export async function verifyBranch(store: ObjectStore, since: string, head: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let id = head; id !== since; ) {
    const parents = readCommit(store, id)?.parents ?? [];
    rows.push(...(await verifyCommit(objectsOf(store), { id, parents }, { slug: 'countersign', strict: false })));
    const [parent] = parents;
    if (parent === undefined) break;
    id = parent;
  }
  return rows;
}

function objectsOf({ objects }: ObjectStore): Objects {
  return {
    read: async (id) => {
      const object = objects.get(id);
      return object === undefined ? null : { kind: object.type, bytes: Buffer.from(object.bytes) };
    },
    close: async () => {},
  };
}
