import { inspect } from 'node:util';
import { createMemoryStore } from '../../../lab/simulation/memory-store/memory-store.ts';
import { createMemoryTables, type MemoryTables } from '../../../lab/simulation/memory-store/tables.ts';
import type { StoryDatabase } from './story-database.ts';

/** A database in memory with backups. */
type MemoryDatabase = StoryDatabase & {
  /** A backup of the current data; `restore` takes effect when the database is opened next. */
  readonly backUp: () => { readonly restore: () => void };
};

export function memoryDatabase(): MemoryDatabase {
  let tables = createMemoryTables();
  const copyOf = ({ listeners: _listeners, ...rows }: MemoryTables): MemoryTables => ({
    ...structuredClone(rows),
    listeners: new Set(),
  });
  return {
    open: async () => createMemoryStore(tables),
    db: () => {
      throw new Error('It is stored in memory; there is no database below it.');
    },
    text: async () => inspect(tables, { depth: null, maxArrayLength: null, maxStringLength: null }),
    drop: async () => {},
    backUp: () => {
      const backup = copyOf(tables);
      return {
        restore: () => {
          tables = copyOf(backup);
        },
      };
    },
  };
}
