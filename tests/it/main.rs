mod github;
