/** Names the reducers of this version: snapshots of others are ignored. `npm run digest` writes it. */
export const reducerDigest = 'df9fa7bdbd59d1e0';
