import { openStore } from '../../../src/adapters/store/open.ts';
import { delivery } from './samples.ts';

/** A process that opens the store in the given directory, stores a delivery, reports it and keeps the lock. */
const dataDir = process.argv[2] ?? '';

const store = await openStore({ databaseUrl: null, dataDir });

await store.receive(delivery('from the child'), 5);

await store.claimPull(5, 1_000_000);

process.stdout.write('holding\n');

setInterval(() => {}, 1_000);
