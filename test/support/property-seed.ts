import fc from 'fast-check';

/**
 * Where chance starts in the property tests: the same place with every push, so that a push is refused for what it
 * changed only. PROPERTY_SEED=… (any integer) looks elsewhere, before a release for example.
 */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 20_261) });
