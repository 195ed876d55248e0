/** Names the reducers of this version: snapshots of others are ignored. `npm run digest` writes it. */
export const reducerDigest = '917722e88513991a';
