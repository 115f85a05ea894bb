import { describe } from 'vitest';
import { claimsContract } from './store/claims.ts';
import { databaseContract } from './store/database.ts';
import { effectsContract } from './store/effects.ts';
import { inboxContract } from './store/inbox.ts';
import { installationEventsContract } from './store/installation-events.ts';
import { ledgerContract, ledgerReadingContract } from './store/ledger.ts';
import { progressContract } from './store/progress.ts';
import { receiveDuringSaveContract } from './store/receive-during-save.ts';
import { recoveryContract } from './store/recovery.ts';
import { replicasContract } from './store/replicas.ts';
import { retentionContract } from './store/retention.ts';
import { schemaVersionContract } from './store/schema-version.ts';
import { stepsContract } from './store/steps.ts';
import { databaseHarness, memoryHarness, type StoreHarness } from './store/store-under-test.ts';
import { testDatabases } from './store/test-database.ts';

function contract(harness: StoreHarness): void {
  inboxContract(harness);
  claimsContract(harness);
  stepsContract(harness);
  effectsContract(harness);
  progressContract(harness);
  installationEventsContract(harness);
  ledgerContract(harness);
  recoveryContract(harness);
}

describe('the store in memory', () => contract(memoryHarness()));

for (const database of testDatabases()) {
  describe(`the store on ${database.name}`, () => {
    const harness = databaseHarness(database);
    contract(harness);
    databaseContract(harness);
    ledgerReadingContract(harness);
    retentionContract(harness);
    schemaVersionContract(harness);
    if (!database.shared) return;
    replicasContract(harness, database);
    receiveDuringSaveContract(harness, database);
  });
}
