import fc from 'fast-check';

/**
 * Property tests use a fixed seed, so CI never fails for an unrelated push. Set PROPERTY_SEED to any other integer
 * before a release or when in doubt.
 */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 20_261) });
