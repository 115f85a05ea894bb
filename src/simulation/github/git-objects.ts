import { Buffer } from 'node:buffer';
import type { Objects } from '../../git/objects.ts';
import type { ObjectStore } from '../../simulator/git/object-store.ts';

/** The simulated repository, read as git's objects. */
export function objectsOf({ objects }: ObjectStore): Objects {
  return {
    read: async (id) => {
      const object = objects.get(id);
      return object === undefined ? null : { kind: object.type, bytes: Buffer.from(object.bytes) };
    },
    close: async () => {},
  };
}
