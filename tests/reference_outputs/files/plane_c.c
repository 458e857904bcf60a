/* A decision diagram written by oddlearn, in C99: no allocation, nothing to link.

   A row is an array of oddlearn_N_FEATURES numbers, in the order of oddlearn_feature_name(0), ...; a name such
   as "colour = red" stands for 1 where the column holds that category, else 0.

   oddlearn_predict returns the class, counted from 0, whose text is oddlearn_class_label(class).
   oddlearn_predict_proba writes oddlearn_N_CLASSES probabilities and returns the class as well.
   A missing value is a NaN. A node that compares one number has a side for it; where it is a term of a
   weighted sum, both functions return -1 and write nothing: fill it in first.

   Compile without -ffast-math and the like: where a row lies exactly on a threshold, the class depends on
   the rounding of each sum. */

int oddlearn_predict(const double *x);
int oddlearn_predict_proba(const double *x, double *probability);
const char *oddlearn_class_label(int code);
const char *oddlearn_feature_name(int feature);

enum { oddlearn_N_NODES = 3, oddlearn_N_FEATURES = 2, oddlearn_N_CLASSES = 2 };

static const char *const oddlearn_label[] = {
    "in",
    "out"
};

static const char *const oddlearn_name[] = {
    "length",
    "width"
};

static const int oddlearn_end_class[] = {
    0,
    1,
    1,
    0
};

static const double oddlearn_end_probability[][2] = {
    {0x1.c201ee917afafp-1 /* 0.8789209892834061 */, 0x1.eff08b7428283p-4 /* 0.12107901071659381 */},
    {0x1.500cf8ae58abdp-4 /* 0.08204362050086451 */, 0x1.d5fe60ea34ea9p-1 /* 0.9179563794991356 */},
    {0x1.0e3660b7bfbf9p-3 /* 0.1319396549297094 */, 0x1.bc7267d210102p-1 /* 0.8680603450702906 */},
    {0x1.5139da8f5cd3cp-1 /* 0.6586445140841657 */, 0x1.5d8c4ae146587p-2 /* 0.34135548591583426 */}
};

static const int oddlearn_child[][3] = {
    {2, 1, 1},
    {3, 4, 4},
    {5, 6, 5}
};

static const double oddlearn_threshold[] = {
    4.0,
    0x1.7cccccccccccdp+2 /* 5.95 */,
    0x1.8333333333333p+2 /* 6.05 */
};

static const int oddlearn_node_feature[] = {
    1,
    0,
    0
};

/* the number that a node compares with its threshold */
static double oddlearn_key(const double *x, int node)
{
    return x[oddlearn_node_feature[node]];
}

/* the end a row arrives at, -1 after a sum with a NaN; a state is a node, or N_NODES + end */
static int oddlearn_end(const double *x)
{
    int state = 0;
    while (state < oddlearn_N_NODES) {
        const double key = oddlearn_key(x, state);
        state = oddlearn_child[state][key != key ? 2 : key >= oddlearn_threshold[state]];
        if (state < 0)
            return -1;
    }
    return state - oddlearn_N_NODES;
}

int oddlearn_predict(const double *x)
{
    const int end = oddlearn_end(x);
    return end < 0 ? -1 : oddlearn_end_class[end];
}

int oddlearn_predict_proba(const double *x, double *probability)
{
    const int end = oddlearn_end(x);
    int code;
    if (end < 0)
        return -1;
    for (code = 0; code < oddlearn_N_CLASSES; ++code)
        probability[code] = oddlearn_end_probability[end][code];
    return oddlearn_end_class[end];
}

const char *oddlearn_class_label(int code)
{
    return code >= 0 && code < oddlearn_N_CLASSES ? oddlearn_label[code] : "";
}

const char *oddlearn_feature_name(int feature)
{
    return feature >= 0 && feature < oddlearn_N_FEATURES ? oddlearn_name[feature] : "";
}
