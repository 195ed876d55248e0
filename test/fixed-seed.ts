import fc from 'fast-check';

// The suite tries the same cases on every run, so that what passed once passes again. `FAST_CHECK_SEED=random npm test`
// looks for new ones, and `FAST_CHECK_SEED=1234` goes through those of another seed; a failure prints its own.
const { FAST_CHECK_SEED: wanted = '20260101' } = process.env;

if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
