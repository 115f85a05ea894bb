import { describe } from 'vitest';
import { bench } from './bench.ts';
import { claimsContract } from './claims-contract.ts';
import { effectsContract } from './effects-contract.ts';
import { formContract } from './form-contract.ts';
import { guardContract } from './guard-contract.ts';
import { inboxContract } from './inbox-contract.ts';
import { noticesContract } from './notices-contract.ts';
import { replicasContract } from './replicas-contract.ts';
import { stepsContract } from './steps-contract.ts';
import { testDatabases } from './test-database.ts';

for (const database of testDatabases()) {
  describe(`the store on ${database.name}`, () => {
    const on = bench(database);
    inboxContract(on);
    claimsContract(on);
    stepsContract(on);
    effectsContract(on);
    noticesContract(on);
    formContract(on);
    if (!database.shared) return;
    replicasContract(on, database);
    guardContract(on, database);
  });
}
