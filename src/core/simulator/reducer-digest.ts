/** Names the reducers of this version: snapshots of others are ignored. `npm run digest` writes it. */
export const reducerDigest = '6e9212fd2c2f4203';
