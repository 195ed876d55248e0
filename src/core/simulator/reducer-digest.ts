/** Names the reducers of this version: snapshots of others are ignored. `npm run digest` writes it. */
export const reducerDigest = 'cc1070aeec2caa57';
