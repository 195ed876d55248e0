/** Names the reducers of this version: snapshots of others are ignored. `npm run digest` writes it. */
export const reducerDigest = '6ac5be43c0aa7176';
