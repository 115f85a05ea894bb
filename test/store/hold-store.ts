import { openStore } from '../../src/store/open-store.ts';
import { delivery } from './samples.ts';

/** A process of its own: opens the store in the directory named, stores one delivery, says so, and holds on. */
const dataDir = process.argv[2] ?? '';
const store = await openStore({ databaseUrl: null, dataDir });
await store.receive([delivery('from the child')], 5);
await store.claimPull('child', 5, 1_000_000);
process.stdout.write('holding\n');
setInterval(() => {}, 1_000);
