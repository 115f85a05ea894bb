import { describe } from 'vitest';
import { type Bench, bench, memoryBench } from './bench.ts';
import { budgetsContract } from './budgets-contract.ts';
import { claimsContract } from './claims-contract.ts';
import { databaseContract } from './database-contract.ts';
import { effectsContract } from './effects-contract.ts';
import { formContract } from './form-contract.ts';
import { goingOnContract } from './going-on-contract.ts';
import { guardContract } from './guard-contract.ts';
import { inboxContract } from './inbox-contract.ts';
import { ledgerContract, ledgerReadingContract } from './ledger-contract.ts';
import { noticesContract } from './notices-contract.ts';
import { pastFormsContract } from './past-forms-contract.ts';
import { pastProposalsContract } from './past-proposals-contract.ts';
import { progressContract } from './progress-contract.ts';
import { rememberedContract } from './remembered-contract.ts';
import { replicasContract } from './replicas-contract.ts';
import { retentionContract } from './retention-contract.ts';
import { stepsContract } from './steps-contract.ts';
import { sweepsContract } from './sweeps-contract.ts';
import { testDatabases } from './test-database.ts';

function contract(on: Bench): void {
  inboxContract(on);
  claimsContract(on);
  stepsContract(on);
  effectsContract(on);
  goingOnContract(on);
  progressContract(on);
  noticesContract(on);
  ledgerContract(on);
  sweepsContract(on);
  budgetsContract(on);
}

describe('the store in memory', () => contract(memoryBench()));

for (const database of testDatabases()) {
  describe(`the store on ${database.name}`, () => {
    const on = bench(database);
    contract(on);
    databaseContract(on);
    rememberedContract(on);
    ledgerReadingContract(on);
    retentionContract(on);
    formContract(on);
    pastFormsContract(on);
    pastProposalsContract(on);
    if (!database.shared) return;
    replicasContract(on, database);
    guardContract(on, database);
  });
}
